package chroma

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
)

// fiveWords is a model that reads five words at once, and parts longer texts into
// windows of about equal length, as ours does.
type fiveWords struct{}

func (fiveWords) Name() string { return "five" }
func (fiveWords) Dim() int     { return 16 }
func (e fiveWords) Embed(_ context.Context, texts []string) ([][]winnow.Vector, error) {
	out := make([][]winnow.Vector, len(texts))
	for i, text := range texts {
		words := strings.Fields(text)
		for left := (len(words) + 4) / 5; left > 0; left-- {
			n := (len(words) + left - 1) / left
			out[i] = append(out[i], e.vector(words[:n]))
			words = words[n:]
		}
	}
	return out, nil
}

func (fiveWords) vector(words []string) winnow.Vector {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(words, " ")))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make(winnow.Vector, 16)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return corpus.Unit(v)
}

func TestAVectorIsRecognisedHoweverItsTextWasCut(t *testing.T) {
	const text = "one two three four five six seven"
	e, l := fiveWords{}, Layout{Title: "title"}
	all, err := e.Embed(t.Context(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		vector winnow.Vector
		text   string
		like   bool
	}{
		"whole":                {e.vector([]string{"one", "two"}), "one two", true},
		"led by its title":     {e.vector([]string{"T.", "one", "two"}), "one two", true},
		"as much as fits":      {e.vector(strings.Fields("one two three four five")), text, true},
		"the mean of windows":  {corpus.Mean(all[0]), text, true},
		"of other words":       {e.vector([]string{"nine"}), "one two", false},
		"of another dimension": {winnow.Vector{1}, "one two", false},
	} {
		v := test.vector
		if name == "whole" { // servers keep vectors of any length
			v = append(winnow.Vector{}, v...)
			for i := range v {
				v[i] *= 3
			}
		}
		cos, err := likeness(t.Context(), e, l, &Record{Document: test.text, Vector: v, Metadata: winnow.Metadata{"title": "T"}})
		if err != nil || (cos >= alike) != test.like {
			t.Errorf("%s: %v (%v)", name, cos, err)
		}
	}
}
