package chroma

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// sparseKey is the metadata key of the words of a collection that Winnow makes.
const sparseKey = "winnow_words"

// wordCode is Chroma's sparse embedding of that name: a word is a number, its weight
// the part of BM25 that needs the document alone. The inverse document frequency
// is the server's part. Query and documents have to be embedded alike, so this
// follows their function in every detail, where ours would differ: its stop
// words, its fixed average length, its hash.
type wordCode struct {
	k, b, average float64
	longest       int
	stop          map[string]bool // nil means stopWords
}

var defaultBM25 = wordCode{k: 1.2, b: 0.75, average: 256, longest: 40}

const bm25Name = "chroma_bm25"

// function is the embedding function as a schema names it.
func (e wordCode) function() Function {
	return Function{Type: "known", Name: bm25Name, Config: map[string]any{
		"k": e.k, "b": e.b, "avg_doc_length": e.average, "token_max_length": e.longest, "include_tokens": false}}
}

// bm25Of reads the function of a sparse index; ok is false for any other.
func bm25Of(f *Function) (e wordCode, ok bool) {
	if f == nil || f.Name != bm25Name {
		return e, false
	}
	e = defaultBM25
	number := func(key string, to *float64) {
		switch v := f.Config[key].(type) {
		case float64:
			*to = v
		case interface{ Float64() (float64, error) }:
			if n, err := v.Float64(); err == nil {
				*to = n
			}
		}
	}
	longest := float64(e.longest)
	number("k", &e.k)
	number("b", &e.b)
	number("avg_doc_length", &e.average)
	number("token_max_length", &longest)
	e.longest = int(longest)
	if words, ok := f.Config["stopwords"].([]any); ok {
		e.stop = map[string]bool{}
		for _, w := range words {
			if s, ok := w.(string); ok {
				e.stop[strings.ToLower(s)] = true
			}
		}
	}
	return e, e.average > 0
}

// sparse is a sparse vector.
type sparse struct {
	Indices []uint32  `json:"indices"`
	Values  []float64 `json:"values"`
}

// typed is the vector as metadata hold it.
func (s sparse) typed() map[string]any {
	return map[string]any{"#type": "sparse_vector", "indices": s.Indices, "values": s.Values}
}

// encode embeds a text.
func (e wordCode) encode(text string) sparse {
	counts := map[uint32]float64{}
	n := 0.0
	for _, word := range e.words(text) {
		counts[hashWord(word)]++
		n++
	}
	s := sparse{Indices: make([]uint32, 0, len(counts)), Values: make([]float64, 0, len(counts))}
	for id := range counts {
		s.Indices = append(s.Indices, id)
	}
	slices.Sort(s.Indices)
	for _, id := range s.Indices {
		tf := counts[id]
		s.Values = append(s.Values, tf*(e.k+1)/(tf+e.k*(1-e.b+e.b*n/e.average)))
	}
	return s
}

// words are a text's stems.
func (e wordCode) words(text string) []string {
	stop := e.stop
	if stop == nil {
		stop = stopWords
	}
	var words []string
	for _, w := range strings.Fields(strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSpace(r) {
			return r
		}
		return ' '
	}, text))) {
		if stop[w] || utf8.RuneCountInString(w) > e.longest {
			continue
		}
		if w = english.Stem(w, true); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// hashWord is the absolute value of a word's murmur3 (32 bits, x86, seed 0).
func hashWord(word string) uint32 {
	h := int32(murmur3([]byte(word)))
	if h < 0 {
		h = -h
	}
	return uint32(h)
}

// murmur3 is Appleby's hash of that name.
func murmur3(data []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	mix := func(k uint32) uint32 { return bits.RotateLeft32(k*c1, 15) * c2 }
	h, n := uint32(0), uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		h = bits.RotateLeft32(h^mix(binary.LittleEndian.Uint32(data)), 13)*5 + 0xe6546b64
	}
	tail := uint32(0)
	for i := len(data) - 1; i >= 0; i-- {
		tail = tail<<8 | uint32(data[i])
	}
	if len(data) > 0 {
		h ^= mix(tail)
	}
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// stopWords are those of Chroma's function. A word with an apostrophe can't
// occur, because what is no letter parts words before they are looked up.
var stopWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`a about above after again against ain all am an and any are aren as at
		be because been before being below between both but by can couldn d did didn do does doesn doing don down
		during each few for from further had hadn has hasn have haven having he her here hers herself him himself
		his how i if in into is isn it its itself just ll m ma me mightn more most mustn my myself needn no nor
		not now o of off on once only or other our ours ourselves out over own re s same shan she should shouldn
		so some such t than that the their theirs them themselves then there these they this those through to too
		under until up ve very was wasn we were weren what when where which while who whom why will with won
		wouldn y you your yours yourself yourselves`) {
		words[w] = true
	}
	return words
}()
