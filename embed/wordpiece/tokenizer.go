// Package wordpiece cuts text into the word pieces of the uncased BERT
// vocabulary, the alphabet of both built-in embedders.
//
// It answers exactly as the reference tokenizer does (clean, space CJK, strip
// accents, lower-case, split off punctuation, greedy longest match), because a
// model fed other pieces than it was trained on is a different, worse model.
// One difference is deliberate: "[SEP]" in a document is five characters of
// text, never the special token, so no document can forge the model's frame.
//
// It works in one pass without intermediate strings: the static tier embeds
// tens of thousands of chunks a second, and there this loop is most of the work.
package wordpiece

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

// The special pieces, by their place in the vocabulary.
const (
	Unknown int32 = 100 // a word that no pieces spell
	Start   int32 = 101 // [CLS], before every sequence
	End     int32 = 102 // [SEP], after it
)

// Size is the number of pieces in the vocabulary.
const Size = 30522

// longestWord is the reference's bound: a word of more characters is Unknown.
const longestWord = 100

// continuation marks pieces that stand inside a word; they differ from the same
// letters at its start.
const continuation = "##"

//go:embed vocab.txt
var vocabulary string

// Tokenizer spells text in pieces. It is safe for concurrent use.
type Tokenizer struct {
	first map[string]int32 // pieces that begin a word
	inner map[string]int32 // pieces inside a word, without their "##"
	// continues holds the ids that inner names.
	continues [Size]bool
	// longest bounds the match in bytes: no piece is longer.
	longest int
}

// New returns a tokenizer over the built-in vocabulary. Building its maps takes
// a few milliseconds; make one and share it.
func New() *Tokenizer {
	t := &Tokenizer{first: make(map[string]int32, Size), inner: make(map[string]int32, Size/4)}
	var id int32
	for piece := range strings.Lines(vocabulary) {
		piece = strings.TrimSuffix(piece, "\n")
		m := t.first
		if rest, ok := strings.CutPrefix(piece, continuation); ok && rest != "" {
			piece, m = rest, t.inner
			t.continues[id] = true
		}
		m[piece] = id
		t.longest = max(t.longest, len(piece))
		id++
	}
	return t
}

// Pieces returns the vocabulary in order: the piece with id i is at i.
func Pieces() []string {
	return strings.Split(strings.TrimSuffix(vocabulary, "\n"), "\n")
}

// Continues reports whether a piece stands inside a word, so that a cut before
// it would tear the word.
func (t *Tokenizer) Continues(id int32) bool { return t.continues[id] }

// Encode appends the pieces of text to ids, without Start and End, and stops
// once it has appended limit of them: a text of any length costs no more than
// what is used of it.
func (t *Tokenizer) Encode(ids []int32, text string, limit int) []int32 {
	limit += len(ids)
	var room [2 * longestWord]byte
	w := word{spelling: room[:0]}
	var scratch [64]byte
	for i := 0; i < len(text) && len(ids) < limit; {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			switch class := asciiClass[c]; class {
			case letter:
				w.addASCII(c | asciiLower[c])
			case space:
				ids = t.spell(ids, &w)
			case punctuation:
				ids = t.spell(ids, &w)
				w.addASCII(c)
				ids = t.spell(ids, &w)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError || isControl(r):
		case isSpace(r):
			ids = t.spell(ids, &w)
		case isCJK(r):
			ids = t.spell(ids, &w)
			ids = t.encodeRunes(ids, &w, decompose(scratch[:0], text[i:i+size]))
			ids = t.spell(ids, &w)
		default:
			ids = t.encodeRunes(ids, &w, decompose(scratch[:0], text[i:i+size]))
		}
		i += size
	}
	if len(ids) < limit {
		ids = t.spell(ids, &w)
	}
	return ids[:min(len(ids), limit)]
}

// encodeRunes takes one decomposed character: it loses its accents and its
// case, and splits the word if it is punctuation.
func (t *Tokenizer) encodeRunes(ids []int32, w *word, decomposed []byte) []int32 {
	for len(decomposed) > 0 {
		r, size := utf8.DecodeRune(decomposed)
		decomposed = decomposed[size:]
		if isAccent(r) {
			continue
		}
		if !isPunctuation(r) {
			w.add(lower(r))
			continue
		}
		ids = t.spell(ids, w)
		w.add(r)
		ids = t.spell(ids, w)
	}
	return ids
}

// word is the word being read, in its normal form. A word past longestWord is
// only counted: it will be Unknown whatever it holds.
type word struct {
	spelling []byte
	runes    int
}

func (w *word) addASCII(c byte) {
	if w.runes++; w.runes <= longestWord {
		w.spelling = append(w.spelling, c)
	}
}

func (w *word) add(r rune) {
	if w.runes++; w.runes <= longestWord {
		w.spelling = utf8.AppendRune(w.spelling, r)
	}
}

// spell appends the pieces of the word and empties it: at each place the longest
// piece that fits, and Unknown for the whole word if at some place none does.
func (t *Tokenizer) spell(ids []int32, w *word) []int32 {
	if w.runes == 0 {
		return ids
	}
	rest, runes := w.spelling, w.runes
	w.spelling, w.runes = w.spelling[:0], 0
	if runes > longestWord {
		return append(ids, Unknown)
	}
	before := len(ids)
	for pieces := t.first; len(rest) > 0; pieces = t.inner {
		end := min(len(rest), t.longest)
		for ; end > 0; end-- {
			if id, ok := pieces[string(rest[:end])]; ok {
				ids = append(ids, id)
				break
			}
		}
		if end == 0 {
			return append(ids[:before], Unknown)
		}
		rest = rest[end:]
	}
	return ids
}
