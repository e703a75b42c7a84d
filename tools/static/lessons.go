package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow/embed/wordpiece"
)

// entry is a WordNet synset: its words, and the gloss with examples.
type entry struct {
	words []string
	gloss string
}

// readEntries parses WordNet's data files: fields, the count of words (in hex)
// the fourth, each word with a sense number after it; then " | " and the gloss.
func readEntries(files map[string][]byte) ([]entry, error) {
	var entries []entry
	for _, kind := range []string{"noun", "verb", "adj", "adv"} {
		name := "package/dict/data." + kind
		for line := range strings.Lines(string(files[name])) {
			if strings.HasPrefix(line, "  ") {
				continue // the licence
			}
			head, gloss, ok := strings.Cut(line, " | ")
			fields := strings.Fields(head)
			if !ok || len(fields) < 4 {
				return nil, fmt.Errorf("%s: no gloss in %q", name, line)
			}
			n, err := strconv.ParseInt(fields[3], 16, 32)
			if err != nil || len(fields) < 4+2*int(n) {
				return nil, fmt.Errorf("%s: no words in %q", name, line)
			}
			e := entry{gloss: strings.TrimSpace(gloss)}
			for i := range int(n) {
				word, _, _ := strings.Cut(fields[4+2*i], "(") // a marker of position
				e.words = append(e.words, strings.ReplaceAll(word, "_", " "))
			}
			entries = append(entries, e)
		}
	}
	if len(entries) < 100_000 {
		return nil, fmt.Errorf("only %d entries", len(entries))
	}
	return entries, nil
}

// lesson is a text, its pieces, and MiniLM's vector of it.
type lesson struct {
	text   string
	ids    []int32
	target []float32
}

// The lessons beside one per entry.
const (
	nearby = 120_000 // runs of neighbouring entries, which share a subject: passages
	names  = 60_000  // strings of random pieces: what names look like to the model
)

// compose writes the lessons. The pieces themselves come first, one lesson each,
// in the order of the vocabulary.
func compose(entries []entry) []lesson {
	r := rand.New(rand.NewPCG(20, 26))
	pieces := wordpiece.Pieces()
	var texts []string
	for _, p := range pieces {
		texts = append(texts, strings.TrimPrefix(p, "##"))
	}
	for _, e := range entries {
		texts = append(texts, strings.Join(e.words, ", ")+": "+e.gloss)
	}
	for range nearby {
		n := 2 + r.IntN(3)
		first := r.IntN(len(entries) - n)
		var b strings.Builder
		for _, e := range entries[first : first+n] {
			if r.IntN(5) < 3 {
				b.WriteString(e.words[r.IntN(len(e.words))] + ", ")
			}
			b.WriteString(e.gloss + ". ")
		}
		texts = append(texts, b.String())
	}
	for range names {
		var b strings.Builder
		for range 2 + r.IntN(5) {
			piece := pieces[common+r.IntN(len(pieces)-common)]
			if rest, inner := strings.CutPrefix(piece, "##"); inner {
				b.WriteString(rest)
			} else {
				b.WriteString(" " + piece)
			}
		}
		texts = append(texts, b.String())
	}
	t := wordpiece.New()
	lessons := make([]lesson, len(texts))
	for i, text := range texts {
		// MiniLM's window bounds what the target has seen.
		lessons[i] = lesson{text: text, ids: t.Encode(nil, text, 254)}
	}
	// An inner piece is its own lesson although its text would be read as the
	// first piece of a word: that is the nearest thing MiniLM can say of it.
	for id := range pieces {
		lessons[id].ids = []int32{int32(id)}
	}
	return lessons
}
