package corpus

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// seed and the code below determine the text. Change version with either, so
// that nobody measures with a corpus from before.
const (
	seed    = 20
	version = 1
)

// The shape of the text. Shares are of the words.
const (
	functionShare = 0.42
	numberShare   = 0.03
	// Of the content words some belong to the passage's topic and some repeat
	// one of the passage: what a text is about it says again.
	topicShare  = 0.35
	repeatShare = 0.20

	topicCount = 4000
	topicWords = 150
)

// generator writes passages. It is for one goroutine; the vocabulary and the
// topics are shared.
type generator struct {
	*vocabulary
	topics [][]string

	pcg   *rand.PCG
	rand  *rand.Rand
	topic []string
	said  []string // content words of the passage
}

func newGenerator(v *vocabulary) *generator {
	g := &generator{vocabulary: v}
	r := rand.New(rand.NewPCG(seed, 2))
	g.topics = make([][]string, topicCount)
	for i := range g.topics {
		// Drawn from the whole, so that topics do not change how frequent a
		// word is, only with which others it stands.
		for range topicWords {
			g.topics[i] = append(g.topics[i], v.word(v.ranks.draw(r)))
		}
	}
	return g.fork()
}

// fork returns a generator for another goroutine.
func (g *generator) fork() *generator {
	f := &generator{vocabulary: g.vocabulary, topics: g.topics, pcg: rand.NewPCG(0, 0)}
	f.rand = rand.New(f.pcg)
	return f
}

// appendPassage appends passage i as one line: the title, a tab, the text. It
// depends on i alone.
func (g *generator) appendPassage(dst []byte, i int) []byte {
	g.pcg.Seed(seed, uint64(i)<<8|3)
	r := g.rand
	g.topic, g.said = g.topics[r.IntN(topicCount)], g.said[:0]
	for n := 1 + r.IntN(3); n > 0; n-- {
		w := g.content()
		dst = append(dst, w...)
		capitalise(dst[len(dst)-len(w):])
		dst = append(dst, ' ')
	}
	dst[len(dst)-1] = '\t'
	planted := rareAt(i)
	for left := 70 + r.IntN(61); left > 0; {
		n := min(left, 6+r.IntN(20))
		left -= n
		first := len(dst)
		for j := range n {
			if j > 0 {
				if r.IntN(14) == 0 {
					dst = append(dst, ',')
				}
				dst = append(dst, ' ')
			}
			if j == n/2 && len(planted) > 0 {
				dst = append(dst, planted[0]...)
				planted = planted[1:]
				continue
			}
			dst = g.appendWord(dst)
		}
		capitalise(dst[first:])
		dst = append(dst, ". "...)
	}
	dst[len(dst)-1] = '\n'
	return dst
}

func (g *generator) appendWord(dst []byte) []byte {
	r := g.rand
	switch p := r.Float64(); {
	case p < functionShare:
		return append(dst, g.function[g.functions.draw(r)]...)
	case p < functionShare+numberShare:
		if r.IntN(5) < 3 {
			return strconv.AppendInt(dst, int64(2025-int(225*r.Float64()*r.Float64())), 10)
		}
		return strconv.AppendInt(dst, int64(1+r.IntN(1+r.IntN(2000))), 10)
	}
	return append(dst, g.content()...)
}

func (g *generator) content() string {
	r := g.rand
	p := r.Float64()
	if p < repeatShare && len(g.said) > 0 {
		return g.said[r.IntN(len(g.said))]
	}
	var w string
	if p < repeatShare+topicShare {
		u := r.Float64()
		w = g.topic[int(topicWords*u*u)] // some words of a topic are in most of its texts
	} else {
		w = g.word(g.ranks.draw(r))
	}
	g.said = append(g.said, w)
	return w
}

func capitalise(b []byte) {
	if b[0] >= 'a' && b[0] <= 'z' {
		b[0] -= 'a' - 'A'
	}
}

// Sizes are the numbers of passages that have a rare word.
var Sizes = []int{10_000, 50_000, 100_000, 1_000_000}

// rareIn is the number of passages that hold the rare word of a size.
const rareIn = 10

// Rare returns the word that stands in exactly ten of the first n passages, for n
// of [Sizes].
func Rare(n int) string {
	return "Zyth" + strings.ToLower(name(slices.Index(Sizes, n)))
}

// rareAt returns the rare words of passage i.
func rareAt(i int) (words []string) {
	for _, n := range Sizes {
		if i < n && i%(n/rareIn) == n/rareIn/2 {
			words = append(words, Rare(n))
		}
	}
	return words
}
