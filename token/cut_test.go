package token

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutKeepsWhatFits(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""},
		{"", 5, ""},
		{"hello", 0, ""},
		{"hello", -1, ""},
		{"hello", 1, "hello"},
		{"hello world", 1, "hello"},
		{"hello world", 2, "hello world"},
		{"one two three four", 3, "one two three"},
		{"1234567", 2, "123456"},
		{"🀀", 1, ""}, // one rune of several tokens
		{"a🀀", 2, "a"},
		{"a\xff\xff\xff", 2, "a\xff"}, // bad bytes are no runes to keep whole
		{"  \n \n\n x", 1, "  \n"},
		{strings.Repeat("a", 1000), 1000, strings.Repeat("a", 1000)},
	} {
		if got := Cut(c.text, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestCutNeverExceedsItsTokens(t *testing.T) {
	texts, _ := golden(t)
	for _, text := range texts {
		for n := range min(Count(text), 40) + 1 {
			checkCut(t, text, n)
		}
	}
	for _, unit := range []string{"a", " ", "字", "ab1"} {
		checkCut(t, strings.Repeat(unit, 1<<16), 512) // of which it reads no more than it must
	}
}

func checkCut(t *testing.T, text string, n int) {
	t.Helper()
	got := Cut(text, n)
	if !strings.HasPrefix(text, got) {
		t.Fatalf("Cut(%q, %d) = %q, no prefix", text, n, got)
	}
	if count := Count(got); count > max(n, 0) {
		t.Fatalf("Cut(%q, %d) = %q, %d tokens", text, n, got, count)
	}
	if Count(text) <= n && got != text {
		t.Fatalf("Cut(%q, %d) = %q, though all of it fits", text, n, got)
	}
	if utf8.ValidString(text) && !utf8.ValidString(got) {
		t.Fatalf("Cut(%q, %d) = %q splits a rune", text, n, got)
	}
}
