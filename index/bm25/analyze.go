package bm25

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
	"golang.org/x/text/unicode/norm"

	"github.com/winnow-search/winnow"
)

// AnalyzerVersion changes when the same text would give other terms.
const AnalyzerVersion = 1

// Analyzer turns text into terms. It is safe for concurrent use.
type Analyzer struct {
	Language string
	stem     func(word string, stopWords bool) string
	stop     map[string]bool
	// foldFirst strips accents before stemming. English stems do not know
	// accents; the other stemmers need them.
	foldFirst bool

	seed  maphash.Seed
	known [knownWords]atomic.Pointer[knownWord]
}

// knownWords is how many words an Analyzer remembers the terms of, a power of
// two. Stemming takes microseconds, more than looking up a list, and texts repeat
// their words. A word has one place; the next that comes there takes it.
const knownWords = 1 << 16

// knownWord is a word with its terms.
type knownWord struct {
	word  string
	terms []string
}

// Languages are those an Analyzer knows; "none" folds case and accents only.
var Languages = []string{"english", "french", "hungarian", "none", "norwegian", "russian", "spanish", "swedish"}

// NewAnalyzer returns the analyzer of a language; "" is English.
func NewAnalyzer(language string) (*Analyzer, error) {
	a := &Analyzer{Language: language, seed: maphash.MakeSeed()}
	switch language {
	case "", "english":
		a.Language, a.stem, a.stop, a.foldFirst = "english", english.Stem, englishStopWords(), true
	case "french":
		a.stem = french.Stem
	case "hungarian":
		a.stem = hungarian.Stem
	case "norwegian":
		a.stem = norwegian.Stem
	case "russian":
		a.stem = russian.Stem
	case "spanish":
		a.stem = spanish.Stem
	case "swedish":
		a.stem = swedish.Stem
	case "none":
	default:
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("unknown language %q", language),
			Hint: "one of " + strings.Join(Languages, ", ")}
	}
	return a, nil
}

// The stop words are the classic 33 of Lucene's English analyzer: few enough
// that "to be or not to be" is the only well-known query they empty.
func englishStopWords() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with") {
		m[w] = true
	}
	return m
}

// Terms returns the terms of a text as it is indexed, in order, repetitions
// included.
func (a *Analyzer) Terms(text string) []string {
	var terms []string
	Words(text, func(word string) { terms = a.AppendTerms(terms, word) })
	return terms
}

// QueryTerms returns the terms of a question, in order, repetitions included. A
// word like NewServer stands for itself here: its parts would outweigh it.
// (With parts, R@5 on multihop_rag falls from 51.1 to 48.4: its questions name
// their sources, TechCrunch and the like.)
func (a *Analyzer) QueryTerms(text string) []string {
	var terms []string
	var buf [8]string
	Words(text, func(word string) {
		if known := a.AppendTerms(buf[:0], word); len(known) > 0 {
			terms = append(terms, known[0])
		}
	})
	return terms
}

// AppendTerms appends the terms of one word of [Words]: usually one, none for a
// stop word, and for a word like NewServer its parts as well.
func (a *Analyzer) AppendTerms(terms []string, word string) []string {
	place := &a.known[maphash.String(a.seed, word)%knownWords]
	if known := place.Load(); known != nil && known.word == word {
		return append(terms, known.terms...)
	}
	before := len(terms)
	add := func(part string) {
		if t := a.term(part); t != "" {
			terms = append(terms, t)
		}
	}
	add(word)
	camelParts(word, add)
	if len(word) <= maxStem {
		place.Store(&knownWord{strings.Clone(word), slices.Clone(terms[before:])})
	}
	return terms
}

func (a *Analyzer) term(word string) string {
	word = strings.ToLower(word)
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	if strings.ContainsAny(word, "'’") {
		word = strings.NewReplacer("'", "", "’", "").Replace(word)
	}
	if a.foldFirst {
		word = fold(word)
	} else {
		word = norm.NFC.String(word) // as the stemmers expect accents
	}
	if a.stop[word] {
		return ""
	}
	if a.stem != nil && len(word) <= maxStem {
		word = a.stem(word, true)
	}
	if !a.foldFirst {
		word = fold(word)
	}
	return word
}

// maxStem keeps hashes and encoded data away from the stemmer.
const maxStem = 64

// fold removes the accents of Latin and Greek letters and unifies compatible
// forms (full-width digits, ligatures). Marks of other scripts carry meaning
// and stay.
func fold(word string) string {
	if isASCII(word) {
		return word
	}
	var b strings.Builder
	latin := false
	for _, r := range norm.NFKD.String(word) {
		if unicode.Is(unicode.Mn, r) {
			if latin {
				continue
			}
		} else {
			latin = unicode.In(r, unicode.Latin, unicode.Greek)
		}
		switch r {
		case 'ß':
			b.WriteString("ss")
		case 'ø':
			b.WriteByte('o')
		case 'ł':
			b.WriteByte('l')
		case 'æ':
			b.WriteString("ae")
		case 'œ':
			b.WriteString("oe")
		case 'đ', 'ð':
			b.WriteByte('d')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Words calls fn with each word of text; see [Spans].
func Words(text string, fn func(word string)) {
	Spans(text, func(start, end int) { fn(text[start:end]) })
}

// Spans calls fn with the place of each word of text: runs of letters and
// digits, with apostrophes between letters kept. Scripts that do not separate
// words (Han, kana, Hangul, Thai) come as overlapping pairs of characters.
func Spans(text string, fn func(start, end int)) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !alnum[c] {
				i++
				continue
			}
		} else {
			r, n := utf8.DecodeRuneInString(text[i:])
			if unsegmented(r) {
				i = pairs(text, i, fn)
				continue
			}
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
				i += n
				continue
			}
		}
		end := wordEnd(text, i)
		fn(i, end)
		i = end
	}
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		switch {
		case c < utf8.RuneSelf && alnum[c]:
			i++
		case c == '\'' && i+1 < len(text) && isASCIILetter(text[i+1]):
			i++
		case c < utf8.RuneSelf:
			return i
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			if r == '’' {
				if i+n >= len(text) || !isASCIILetter(text[i+n]) {
					return i
				}
			} else if unsegmented(r) || !unicode.In(r, unicode.L, unicode.N, unicode.M) {
				return i
			}
			i += n
		}
	}
	return i
}

func pairs(text string, i int, fn func(start, end int)) int {
	prev, single := i, true
	_, n := utf8.DecodeRuneInString(text[i:])
	i += n
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unsegmented(r) {
			break
		}
		fn(prev, i+n)
		prev, single = i, false
		i += n
	}
	if single {
		fn(prev, i)
	}
	return i
}

func unsegmented(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) || r == 'ー')
}

// camelParts calls fn with the parts of a word whose case changes inside, as in
// NewServer or HTTPServer, and not at all for other words.
func camelParts(word string, fn func(string)) {
	start, n := 0, 0
	for i := 1; i < len(word); i++ {
		lowerUpper := isLower(word[i-1]) && isUpper(word[i])
		acronymEnd := i+1 < len(word) && isUpper(word[i-1]) && isUpper(word[i]) && isLower(word[i+1])
		if lowerUpper || acronymEnd {
			fn(word[start:i])
			start = i
			n++
		}
	}
	if n > 0 {
		fn(word[start:])
	}
}

func isLower(c byte) bool       { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool       { return c >= 'A' && c <= 'Z' }
func isASCIILetter(c byte) bool { return isLower(c | 0x20) }

var alnum = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = isASCIILetter(byte(c)) || c >= '0' && c <= '9'
	}
	return t
}()
