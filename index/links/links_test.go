package links

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestNamesAreComparedInOneForm(t *testing.T) {
	for name, want := range map[string][]string{
		"Gong Hyo-jin":                   {"gong hyo jin"},
		"Forbidden Ground (2013 film)":   {"forbidden ground 2013 film", "forbidden ground"},
		"The Beatles":                    {"beatles"},
		"Beyoncé":                        {"beyonce"},
		"Schindler's List":               {"schindler list"},
		"parse_config":                   {"parse config"},
		"the":                            nil,
		"":                               nil,
		"a b c d e f g h i j k l m n o":  nil,
		"2011 Valencia Open – Doubles":   {"2011 valencia open doubles"},
		"Paris, Texas":                   {"paris texas"},
		"I":                              nil,
		"[Draft] of a thing":             {"draft of a thing"},
		"Murray’s brother [tennis] page": {"murray brother tennis page", "murray brother"},
	} {
		if got := Names(name); !slices.Equal(got, want) {
			t.Errorf("Names(%q) = %q, want %q", name, got, want)
		}
	}
}

func mentions(text string, wholeOnly bool) (keys []string) {
	var s Scanner
	for _, m := range s.Mentions(text) {
		if m.Whole || !wholeOnly {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

func TestTextMentionsNames(t *testing.T) {
	for _, c := range []struct {
		text  string
		all   []string // among all mentions
		whole []string // among the whole ones
		none  []string // among no mentions
	}{
		{text: "Andy Murray won the 2011 Valencia Open.", all: []string{"andy murray", "valencia open", "2011 valencia open"}, whole: []string{"andy murray", "2011 valencia open"}},
		{text: "In Paris she met J. K. Rowling.", all: []string{"paris", "j k rowling"}, none: []string{"in paris", "in"}},
		{text: "the Lord of the Rings: The Two Towers", all: []string{"lord of the rings the two towers", "lord of the rings", "two towers"}},
		{text: "Procter and Gamble", all: []string{"procter and gamble"}, whole: []string{"procter and gamble", "procter", "gamble"}},
		{text: "They live in Paris, Texas.", all: []string{"paris texas", "paris", "texas"}, whole: []string{"paris", "texas"}},
		{text: "He left. Berlin was cold.", all: []string{"berlin"}, none: []string{"left berlin", "he"}},
		{text: "U.S. Pat. No. 5,123,456 and ticket 9876543", all: []string{"5123456", "9876543"}, none: []string{"456"}},
		{text: "call parse_config before readFile or NewServer", all: []string{"parse config", "readfile", "newserver"}, none: []string{"call"}},
		{text: "nothing to see here", none: []string{"nothing", "see"}},
		{text: "Dr. Martin Luther King Jr. spoke", all: []string{"martin luther king", "martin luther king jr"}},
	} {
		all, whole := mentions(c.text, false), mentions(c.text, true)
		for _, want := range c.all {
			if !slices.Contains(all, want) {
				t.Errorf("%q does not mention %q, only %q", c.text, want, all)
			}
		}
		for _, want := range c.whole {
			if !slices.Contains(whole, want) {
				t.Errorf("%q has no whole mention %q, only %q", c.text, want, whole)
			}
		}
		for _, bad := range c.none {
			if slices.Contains(all, bad) {
				t.Errorf("%q mentions %q", c.text, bad)
			}
		}
	}
}

// A title that is written in a text as it is must be found there.
func TestTitlesAreMentionedByThemselves(t *testing.T) {
	for _, title := range []string{"Andy Murray", "The Dark Side of the Moon", "University of Oxford", "New York City", "Harry Potter and the Goblet of Fire", "Paris, Texas", "St. Louis", "Gong Hyo-jin"} {
		want := Names(title)[0]
		text := "It is known that " + title + " was mentioned."
		if got := mentions(text, false); !slices.Contains(got, want) {
			t.Errorf("%q does not mention %q, only %q", text, want, got)
		}
	}
}

func TestQuestionsNameWithoutCapitals(t *testing.T) {
	got := Phrases("who directed the godfather part ii?")
	for _, want := range []string{"godfather part ii", "godfather", "part ii"} {
		if !slices.Contains(got, want) {
			t.Errorf("no phrase %q in %q", want, got)
		}
	}
	if slices.Contains(got, "the") || slices.Contains(got, "who") {
		t.Errorf("a stop word is a phrase: %q", got)
	}
}

func TestDocumentsAreCalledByFileAndNumber(t *testing.T) {
	doc := &winnow.Document{ID: "docs/getting-started.md", Path: "docs/getting-started.md", Title: "Getting Started", Names: []string{"<a@b>"}}
	got := DocumentNames(doc)
	for _, want := range []string{"getting started", "getting started md", "=docs/getting-started.md", "=<a@b>"} {
		if !slices.Contains(got, want) {
			t.Errorf("no name %q in %q", want, got)
		}
	}
	if got := DocumentNames(&winnow.Document{ID: "pat-8551773"}); !slices.Contains(got, "8551773") {
		t.Errorf("a patent is not called by its number: %q", got)
	}
}

func FuzzMentions(f *testing.F) {
	for _, s := range []string{"", "Andy Murray, and J. K. Rowling (née X)", "a_b_c 1,234,567", "東京 Tokyo’s", "\xff\xfeÀ", strings.Repeat("Ab ", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Scanner
		last := -1
		for _, m := range s.Mentions(text) {
			if m.Start < 0 || m.End > len(text) || m.Start >= m.End {
				t.Fatalf("a mention at %d:%d of %d bytes", m.Start, m.End, len(text))
			}
			if m.Start < last {
				t.Fatalf("mentions are not in order")
			}
			last = m.Start
			if m.Key == "" || strings.Count(m.Key, " ") >= maxWords {
				t.Fatalf("a mention with the key %q", m.Key)
			}
		}
		Names(text)
		Phrases(text)
	})
}
