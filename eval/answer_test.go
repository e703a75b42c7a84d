package eval

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnswersAreFoundAsWholeWords(t *testing.T) {
	for _, c := range []struct {
		answer, text string
		want         bool
	}{
		{"Port Ansel", "She came from port ansel.", true},
		{"The Skerry Light", "Skerry Light is a lighthouse.", true},
		{"Batman", "Batman's first appearance", true},
		{"Bankman-Fried", "Sam Bankman–Fried said", true},
		{"1871", "lit in 1871, they say", true},
		{"bio", "biology", false},
		{"Ansel", "Hansel", false},
		{"Port Ansel", "Port of Ansel", false},
		{"yes", "yes, it is", false},
		{"No", "no smoking", false},
		{"True", "a true story", false},
		{"no one", "There is no one here", true},
		{"東京", "東京都は首都", true},
		{"서울", "서울은 수도이다", true},
		{"the", "the", false},
		{"...", "...", false},
		{"Béla Tarr", "BÉLA TARR", true},
	} {
		got := false
		for _, p := range phrases([]string{c.answer}) {
			got = got || p.in(normalise(c.text))
		}
		if got != c.want {
			t.Errorf("%q in %q: got %v", c.answer, c.text, got)
		}
	}
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"", "The a an", "Batman's", "東京tower", "\xff\xfea", "İstanbul", "a\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := normalise(s)
		if normalise(n) != n {
			t.Errorf("%q: a second time gives %q, not %q", s, normalise(n), n)
		}
		if !strings.HasPrefix(n, " ") || !strings.HasSuffix(n, " ") || strings.Contains(n, "  ") {
			t.Errorf("%q: %q is not words between single spaces", s, n)
		}
		if utf8.ValidString(s) && !utf8.ValidString(n) {
			t.Errorf("%q: %q is cut inside a character", s, n)
		}
	})
}
