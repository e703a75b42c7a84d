package links

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-search/winnow/index/bm25"
)

// Mention is a place in a text that may name something.
type Mention struct {
	Key string
	// Whole is set for a run of capitalised words as it stands, and for the two
	// words at either end of a longer one. Two texts with the same rare whole
	// mention are about the same thing even if no document has that name. The
	// other mentions are parts of runs, and count only where they are
	// somebody's name.
	Whole      bool
	Start, End int // bytes in the text
}

// word is one word of a text with what is needed to tell names.
type word struct {
	start, end int
	norm       string
	capital    bool
	digit      bool
	loose      bool // reached over a comma, colon or dash
	broken     bool // reached over the end of a sentence or the like
}

// Scanner finds mentions. It is reused to save allocations and is for one
// goroutine at a time.
type Scanner struct {
	words []word
	out   []Mention
	parts []string
}

// Mentions returns the mentions of a text, in order of their start, longer ones
// first. The slice is valid until the next call.
func (s *Scanner) Mentions(text string) []Mention {
	s.split(text)
	s.out = s.out[:0]
	for i := 0; i < len(s.words); {
		w := &s.words[i]
		if !w.capital {
			s.identifier(text, w)
			i++
			continue
		}
		end := s.runEnd(i)
		s.run(text, i, end)
		i = end
	}
	return s.out
}

func (s *Scanner) split(text string) {
	s.words = s.words[:0]
	bm25.Spans(text, func(start, end int) {
		w := text[start:end]
		r, _ := utf8.DecodeRuneInString(w)
		nw := word{start: start, end: end, norm: foldWord(w), digit: r >= '0' && r <= '9'}
		nw.capital = unicode.IsUpper(r) || nw.digit
		if len(s.words) > 0 {
			prev := s.words[len(s.words)-1]
			between := text[min(prev.end, start):start]
			nw.loose, nw.broken = gap(between, text[prev.start:prev.end])
			nw.capital = nw.capital || between == "-" && prev.capital // Gong Hyo-jin
		}
		s.words = append(s.words, nw)
	})
}

// gap classifies what stands between two words.
func gap(between, before string) (loose, broken bool) {
	switch between {
	case " ", "-", "’", "'", "":
		return false, false
	case ". ":
		// An initial or a common abbreviation does not end a name.
		return false, len(before) > 1 && !abbreviations[before]
	case ".":
		return false, len(before) > 1
	}
	for _, r := range between {
		switch r {
		case '.', '!', '?', ';', '(', ')', '[', ']', '{', '}', '"', '“', '”', '|', '=', '<', '>', '#', '*':
			return true, true
		}
	}
	return true, strings.Count(between, "\n") > 1
}

var abbreviations = map[string]bool{"St": true, "Mr": true, "Mrs": true, "Ms": true, "Dr": true, "Jr": true, "Sr": true, "Prof": true, "Gen": true,
	"Lt": true, "Col": true, "Capt": true, "Rev": true, "Hon": true, "Sgt": true, "Mt": true, "Ft": true, "No": true, "Vol": true, "vs": true}

// runEnd returns the end of the run of capitalised words that starts at i;
// connectors count if a capitalised word follows.
func (s *Scanner) runEnd(i int) int {
	end := i + 1
	for j := i + 1; j < len(s.words) && j < i+maxRun; j++ {
		w := &s.words[j]
		if w.broken {
			break
		}
		if w.capital {
			end = j + 1
		} else if j-end >= 2 || !connectors[w.norm] {
			break
		}
	}
	return end
}

// maxRun bounds a run: lists of names joined by commas, tables, text in capitals.
const maxRun = 24

// run emits the mentions inside words[from:to].
func (s *Scanner) run(text string, from, to int) {
	for i := from; i < to; i++ {
		if !s.words[i].capital {
			continue
		}
		if end := s.number(text, i); end > i {
			i = end - 1
			continue
		}
		if i+1 < to && (articles[s.words[i].norm] || i == from && starters[s.words[i].norm]) {
			continue // "In Paris", "The Who": the name begins with the next word
		}
		for j := min(to, i+maxWords); j > i; j-- {
			if !s.words[j-1].capital || j-i == 1 && (starters[s.words[i].norm] || s.words[i].digit) {
				continue
			}
			s.emit(i, j, s.whole(from, to, i, j))
		}
	}
}

// whole reports whether words[i:j] is a run by itself: nothing but commas or
// "and" separates it from the rest, and no comma stands inside; or whether it is
// the two words at either end of such a run.
func (s *Scanner) whole(from, to, i, j int) bool {
	for k := i + 1; k < j; k++ {
		if s.words[k].loose {
			return false
		}
	}
	lo, hi := i, j
	for lo > from && !s.seam(lo) && !(lo-1 == from && starters[s.words[from].norm]) {
		lo--
	}
	for hi < to && !s.seam(hi) {
		hi++
	}
	return lo == i && hi == j || j-i == 2 && (lo == i || hi == j)
}

// seam reports whether a run may end before word k.
func (s *Scanner) seam(k int) bool {
	return s.words[k].loose || s.words[k].norm == "and" || s.words[k-1].norm == "and" || articles[s.words[k-1].norm]
}

func (s *Scanner) emit(i, j int, whole bool) {
	s.parts = s.parts[:0]
	for k := i; k < j; k++ {
		s.parts = append(s.parts, s.words[k].norm)
	}
	key := join(s.parts)
	if key == "" {
		return
	}
	s.out = append(s.out, Mention{Key: key, Whole: whole, Start: s.words[i].start, End: s.words[j-1].end})
}

// number emits a long number that starts at word i, commas left out: a patent, a
// case, a ticket. It returns the end of the number, or i.
func (s *Scanner) number(text string, i int) int {
	w := s.words[i]
	if !w.digit {
		return i
	}
	end := i + 1
	for end < len(s.words) && s.words[end].digit && text[s.words[end-1].end:s.words[end].start] == "," && s.words[end].end-s.words[end].start == 3 {
		end++
	}
	digits := strings.ReplaceAll(text[w.start:s.words[end-1].end], ",", "")
	if len(digits) < 5 {
		return i
	}
	s.out = append(s.out, Mention{Key: foldWord(digits), Whole: true, Start: w.start, End: s.words[end-1].end})
	return end
}

// identifier emits a word in lower case that is part of a name in code, like
// parse_config or readFile.
func (s *Scanner) identifier(text string, w *word) {
	lo, hi := w.start, w.end
	if lo > 0 && text[lo-1] == '_' {
		return // emitted with its first part
	}
	for hi < len(text) && (text[hi] == '_' || isAlnum(text[hi])) {
		hi++
	}
	id := text[lo:hi]
	if !strings.Contains(id, "_") && !innerCapital(id) {
		return
	}
	if key := Normal(id); key != "" && len(key) > 3 {
		s.out = append(s.out, Mention{Key: key, Whole: true, Start: lo, End: hi})
	}
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func innerCapital(id string) bool {
	for i := 1; i < len(id); i++ {
		if id[i] >= 'A' && id[i] <= 'Z' && id[i-1] >= 'a' && id[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// Phrases returns the keys of all runs of up to eight words of a question,
// whatever their case: people do not always write capitals.
func Phrases(question string) []string {
	var words []string
	bm25.Words(question, func(w string) { words = append(words, foldWord(w)) })
	var keys []string
	seen := map[string]bool{}
	for i := range words {
		for j := i + 1; j <= min(len(words), i+maxWords); j++ {
			key := join(words[i:j])
			if key == "" || seen[key] || j-i == 1 && starters[key] {
				continue
			}
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}
