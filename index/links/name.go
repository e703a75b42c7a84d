// Package links finds what texts call each other by.
//
// A document has names: its title, the title without its bracket, aliases, file
// names, symbols, mail subjects, Message-IDs. A text mentions names: runs of
// capitalised words, identifiers, long numbers, explicit links. Both are brought
// into one form, so that a link is an equal string, and both are dictionaries
// of a segment. Who is linked is decided when a question asks, by looking the
// mentions of one side up among the names of the other: a document that is added
// later links and is linked at once, and no graph has to be kept in step.
//
// What was traded away: names in lower case ("the history of salt") are found
// in questions but not in texts, and a look-up costs more than a stored edge
// would.
package links

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/winnow-search/winnow/index/bm25"
)

// Version changes when the same text would give other names or mentions.
const Version = 1

// maxWords is the longest name that is matched.
const maxWords = 8

// Normal brings a name into the form that names are compared in: its words in
// lower case and without accents, without a leading article. It is "" for what
// can't serve as a name.
func Normal(name string) string {
	var words []string
	bm25.Words(name, func(w string) { words = append(words, foldWord(w)) })
	return join(words)
}

func join(words []string) string {
	if len(words) > 1 && articles[words[0]] {
		words = words[1:]
	}
	if len(words) == 0 || len(words) > maxWords {
		return ""
	}
	key := strings.Join(words, " ")
	if len(words) == 1 && utf8.RuneCountInString(key) < 2 {
		return ""
	}
	return key
}

func foldWord(w string) string {
	w = strings.ToLower(w)
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	ascii := true
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf || w[i] == '\'' {
			ascii = false
		}
	}
	if ascii {
		return w
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(w) {
		if !unicode.Is(unicode.Mn, r) && r != '\'' && r != '’' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var articles = set("the a an")

// connectors may stand inside a name between capitalised words.
var connectors = set("of the and de la le du des di da do dos del della van von der den el al bin ibn y e for in on at to a an und & vs with from by")

// starters are words whose capital says only that a sentence begins.
var starters = set("the a an in on at of for from by with and but or as to it its he she his her they their this that these those there when while " +
	"after before during since until although however also if is was are were be who what which where why how did does do has have had not no " +
	"one two three some many most other both each all i we you my our your")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Names returns the keys of the names in name: the whole, and the part before a
// bracket or a comma-less dash.
func Names(name string) []string {
	keys := appendName(nil, name)
	if i := strings.IndexAny(name, "(["); i > 0 {
		keys = appendName(keys, name[:i])
	}
	return keys
}

func appendName(keys []string, name string) []string {
	key := Normal(name)
	if key == "" || starters[key] {
		return keys
	}
	for _, k := range keys {
		if k == key {
			return keys
		}
	}
	return append(keys, key)
}

// Exact is the key of an identifier that is compared as it is: a document's id,
// a URL, a Message-ID, the target of an explicit link. It can't collide with
// the key of a name in words.
func Exact(id string) string { return "=" + strings.TrimSpace(id) }
