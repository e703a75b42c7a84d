package corpus

import (
	"cmp"
	_ "embed"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed words.txt
var wordList string

// vocabulary is every word of the corpora with its frequency. The function
// words, which make up two fifths of English, are apart; all others are ranked.
type vocabulary struct {
	function  []string
	functions distribution
	// head holds the ranks up to the last derived form. Those after it are names,
	// made when they are needed.
	head  []string
	ranks distribution
}

// types bounds the distinct words beside the function words. A corpus of 100
// million words has about a million.
const types = 2 << 20

func newVocabulary() *vocabulary {
	function, forms := derive(wordList)
	v := &vocabulary{function: function}
	v.functions = newDistribution(len(function), func(rank float64) float64 { return 1 / (rank + 1.2) })
	// Zipf–Mandelbrot with a second, steeper regime for rare words (Ferrer i
	// Cancho & Solé 2001), fitted by eye to encyclopedia passages: the 1,000th
	// word has a frequency of 1.2·10⁻⁴, the 10,000th of 8·10⁻⁶, and a million
	// words of text hold 60,000 different ones.
	v.ranks = newDistribution(types, func(rank float64) float64 {
		return math.Pow(rank+30, -0.85) * math.Pow(1+rank/4000, -0.8)
	})
	r := rand.New(rand.NewPCG(seed, 1))
	for len(forms) > 0 {
		rank := len(v.head)
		// The rarer a word, the likelier it is a name; three of four are in the end.
		if r.IntN(rank+6000) < rank && r.IntN(4) > 0 {
			v.head = append(v.head, name(rank))
			continue
		}
		v.head = append(v.head, forms[0])
		forms = forms[1:]
	}
	return v
}

// word returns the content word of a rank.
func (v *vocabulary) word(rank int) string {
	if rank < len(v.head) {
		return v.head[rank]
	}
	return name(rank)
}

// distribution draws ranks by their weights.
type distribution []float64 // cumulated, the last is 1

func newDistribution(n int, weight func(rank float64) float64) distribution {
	d := make(distribution, n)
	sum := 0.0
	for i := range d {
		sum += weight(float64(i))
		d[i] = sum
	}
	for i := range d {
		d[i] /= sum
	}
	return d
}

func (d distribution) draw(r *rand.Rand) int {
	i, _ := slices.BinarySearch(d, r.Float64())
	return min(i, len(d)-1)
}

// derive reads the word list and returns its function words, and its other words
// with their derived forms, common ones first.
func derive(list string) (function, forms []string) {
	var bases [][]string // a word with its forms
	seen := map[string]bool{}
	kind := ""
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			kind = strings.Trim(line, "[]")
		default:
			for w := range strings.FieldsSeq(line) {
				switch {
				case kind != "function":
					bases = append(bases, inflect(kind, w))
				case !seen[w]:
					seen[w] = true
					function = append(function, w)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(bases), func(i, j int) { bases[i], bases[j] = bases[j], bases[i] })
	type form struct {
		word  string
		place float64
	}
	var all []form
	for i, words := range bases {
		for j, w := range words {
			if !seen[w] {
				seen[w] = true
				// A form is rarer than its word, the more so the odder it is, and
				// common words are short.
				length := float64(len(w)) / 6
				all = append(all, form{w, float64(i+30) * (1 + float64(j*j)*r.Float64()) * length * length})
			}
		}
	}
	slices.SortFunc(all, func(a, b form) int {
		return cmp.Or(cmp.Compare(a.place, b.place), strings.Compare(a.word, b.word))
	})
	for _, f := range all {
		forms = append(forms, f.word)
	}
	return function, forms
}

// inflect returns a word and what is derived from it, the usual forms first.
func inflect(kind, w string) []string {
	forms := []string{w}
	switch kind {
	case "noun":
		forms = append(forms, plural(w), w+"less", w+"like")
		for _, p := range []string{"sub", "super", "inter", "counter", "under", "micro", "anti", "proto", "semi", "multi"} {
			forms = append(forms, p+w)
		}
	case "verb":
		ed, ing := past(w), stem(w)+"ing"
		forms = append(forms, ed, ing, plural(w), ed[:len(ed)-1]+"r", ed[:len(ed)-1]+"rs", stem(w)+"able")
		for _, p := range []string{"re", "over", "out", "mis", "pre", "un"} {
			forms = append(forms, p+w, p+ed, p+ing)
		}
	case "adjective":
		base := w
		if strings.HasSuffix(w, "y") {
			base = w[:len(w)-1] + "i"
		}
		forms = append(forms, base+"ly", base+"ness", "un"+w, "un"+base+"ly", "non"+w, "quasi"+w)
	}
	return forms
}

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

func plural(w string) string {
	last := w[len(w)-1]
	switch {
	case last == 'y' && !isVowel(w[len(w)-2]):
		return w[:len(w)-1] + "ies"
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "x"), strings.HasSuffix(w, "ch"), strings.HasSuffix(w, "sh"):
		return w + "es"
	}
	return w + "s"
}

func past(w string) string {
	if n := len(w) - 1; w[n] == 'y' && !isVowel(w[n-1]) {
		return w[:n] + "ied"
	}
	return stem(w) + "ed"
}

// stem is what -ed and -ing are put behind, near enough.
func stem(w string) string {
	n := len(w)
	switch {
	case w[n-1] == 'e':
		return w[:n-1]
	case n <= 4 && !isVowel(w[n-1]) && isVowel(w[n-2]) && !isVowel(w[n-3]) && !strings.ContainsRune("wxy", rune(w[n-1])):
		return w + w[n-1:]
	}
	return w
}

var (
	syllables = strings.Fields(`ba be bel bo bra bur ca cal chi cor da del do dra el fa fen fi gal ge gor ha hal ho il
		ja jo ka kel kir ko la lan le lo ma mar me mir mo na nel no or pa per po ra rin ro sa sel sha so ta tam te tor
		tu va vel vi wa wen`)
	endings = strings.Fields(`ton ford ski berg ia ez land wick ham ley er sen son ov ina ello etti ani ard ault ette
		ois ell in yn us ith ane ora ada ona ero is os ax ent eau wood mere dale stead burn field gard mund rich win
		bert ric mi ko to shi ki li ni que uda esh ando ur eth im zo`)
)

// name makes up the proper name of a rank below [types]: two syllables for common
// ones, three or four for rare ones.
func name(rank int) string {
	parts := 2
	for limit := len(syllables) * len(endings); rank >= limit; limit *= len(syllables) {
		parts++
	}
	b := make([]byte, 0, 16)
	// An odd factor permutes the numbers below a power of two, so that
	// neighbours in rank are not neighbours in spelling.
	n := rank * 0x9E3779B1
	b = append(b, syllables[n>>6&63]...)
	for i := 2; i < parts; i++ {
		b = append(b, syllables[n>>(6*i)&63]...)
	}
	b = append(b, endings[n&63]...)
	b[0] -= 'a' - 'A'
	return string(b)
}
