package corpus

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

func passages(t *testing.T, n int) (*Corpus, []Passage) {
	t.Helper()
	c := &Corpus{path: filepath.Join(t.TempDir(), "passages")}
	if err := generate(c.path, n); err != nil {
		t.Fatal(err)
	}
	var all []Passage
	for p, err := range c.Passages(n) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) != n {
		t.Fatalf("%d passages of %d", len(all), n)
	}
	return c, all
}

func TestPassageDependsOnItsNumberAlone(t *testing.T) {
	g := newGenerator(newVocabulary())
	want := g.appendPassage(nil, 7)
	other := g.fork()
	other.appendPassage(nil, 3)
	if got := other.appendPassage(nil, 7); !bytes.Equal(got, want) {
		t.Errorf("passage 7 is\n%s\nand then\n%s", want, got)
	}
}

// The bounds are those of 10,000 encyclopedia passages of the same length, more
// or less.
func TestTextBehavesLikeEnglish(t *testing.T) {
	c, all := passages(t, Sizes[0])
	words, letters, the, rare := 0, 0, 0, 0
	types := map[string]bool{}
	for _, p := range all {
		if strings.Contains(p.Text, Rare(Sizes[0])) {
			rare++
		}
		for w := range strings.FieldsFuncSeq(p.Text, func(c rune) bool { return strings.ContainsRune(" .,", c) }) {
			w = strings.ToLower(w)
			words++
			letters += len(w)
			types[w] = true
			if w == "the" {
				the++
			}
		}
	}
	for _, f := range []struct {
		what           string
		got, low, high float64
	}{
		{"words per passage", float64(words) / float64(len(all)), 90, 110},
		{"letters per word", float64(letters) / float64(words), 4.5, 5.5},
		{"share of the commonest word", float64(the) / float64(words), 0.05, 0.07},
		{"different words", float64(len(types)), 50_000, 70_000},
		{"passages with the rare word", float64(rare), rareIn, rareIn},
	} {
		if f.got < f.low || f.got > f.high {
			t.Errorf("%s: %.3f, want %.3f to %.3f", f.what, f.got, f.low, f.high)
		}
	}

	questions, err := c.Questions(Sizes[0], 50)
	if err != nil || len(questions) != 50 {
		t.Fatalf("%d questions, %v", len(questions), err)
	}
	for _, q := range questions {
		if n := len(strings.Fields(q)); n < 7 || n > 24 {
			t.Errorf("%d words: %s", n, q)
		}
	}
}

func TestWordListHoldsPlainWords(t *testing.T) {
	function, forms := derive(wordList)
	if len(function) < 150 || len(forms) < 30_000 {
		t.Errorf("%d function words and %d other forms", len(function), len(forms))
	}
	seen := map[string]bool{}
	for _, w := range append(function, forms...) {
		if seen[w] {
			t.Errorf("%q stands twice", w)
		}
		seen[w] = true
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz'") != "" {
			t.Errorf("%q is not a plain word", w)
		}
	}
}
