// Package trigram turns regular expressions into questions about trigrams, so
// that grep reads only the chunks that can match.
//
// An index stores for each chunk the set of its trigrams, three successive bytes
// of the text with A–Z folded to a–z ([Collector]). [Plan] derives from a regular
// expression a [Query] over such sets that holds for every text the expression
// matches; what passes is then verified with the expression itself. The analysis
// is that of Russ Cox, "Regular Expression Matching with a Trigram Index" (2012).
//
// Folding makes (?i) as cheap as exact case and the index smaller, at the price
// of a few more candidates for patterns in exact case. Trigrams of bytes and not
// of runes keep a trigram in 24 bits for every script. Positions are not stored:
// verifying a chunk of a few kilobytes costs less than reading them would.
package trigram

import "strconv"

// Trigram is three bytes, the first in bits 16–23 and the last in bits 0–7.
type Trigram uint32

// Count is the number of different trigrams; all are below it.
const Count = 1 << 24

func (t Trigram) String() string {
	return strconv.Quote(string([]byte{byte(t >> 16), byte(t >> 8), byte(t)}))
}

// fold lower-cases ASCII letters and leaves all other bytes alone.
func fold(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

func foldString(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = fold(b[i])
	}
	return string(b)
}

// Collector finds the distinct trigrams of texts. The zero value is ready; it
// holds 2 MB once used and is for one goroutine at a time.
//
// It marks what it has seen in a bitmap over all trigrams. That is small enough
// for a core's own cache, and needs no hashing; the marks are taken back one by
// one, so a text costs its own length and nothing else.
type Collector struct{ seen []uint64 }

// Append appends the distinct trigrams of the folded text to dst, in the order of
// their first occurrence.
func (c *Collector) Append(dst []Trigram, text string) []Trigram {
	if len(text) < 3 {
		return dst
	}
	if c.seen == nil {
		c.seen = make([]uint64, Count/64)
	}
	have := len(dst)
	dst = append(dst, make([]Trigram, len(text)-2)...)
	found := dst[have:]
	n := 0
	t := uint32(fold(text[0]))<<8 | uint32(fold(text[1]))
	for i := 2; i < len(text); i++ {
		t = (t<<8 | uint32(fold(text[i]))) & (Count - 1)
		// Written always and kept if new: about half are, which a branch
		// predictor can't guess.
		word, bit := &c.seen[t>>6], t&63
		found[n] = Trigram(t)
		n += int(^*word >> bit & 1)
		*word |= 1 << bit
	}
	for _, t := range found[:n] {
		c.seen[t>>6] = 0
	}
	return dst[:have+n]
}
