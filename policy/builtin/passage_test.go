package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestSentencesEndWhereTheyEnd(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		" \n\n ":                          nil,
		"no stop":                         {"no stop"},
		"One. Two! Three?":                {"One.", "Two!", "Three?"},
		"a line\nanother\n\nlast":         {"a line", "another", "last"},
		"It is 3.5 feet. See v1.2.3 of":   {"It is 3.5 feet.", "See v1.2.3 of"},
		"By J. R. Hartley, 1983. It sold": {"By J. R. Hartley, 1983.", "It sold"},
		`He asked "why?" twice.`:          {`He asked "why?" twice.`},
		"東京。大阪。":                          {"東京。大阪。"},
	} {
		got := slices.Collect(sentences(text))
		if !slices.Equal(got, want) {
			t.Errorf("%q has the sentences %q, not %q", text, got, want)
		}
	}
	if n := len(slices.Collect(sentences(strings.Repeat("One more. ", 500)))); n != maxSentences {
		t.Errorf("%d sentences are looked at", n)
	}
}

// shown is a passage as a search brings it.
func shown(m *Model, q *question, id, title, text string, rank int) *passage {
	p := m.read(q, &winnow.Part{Handle: "c" + id, Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: id + "_0", Document: id, Title: title, Text: text}}})
	p.source, p.rank, p.turn = bySearch, rank, 1
	return p
}

// evident is evidence of passages, weighed.
func evident(q *question, passages ...*passage) *evidence {
	e := &evidence{q: q, passages: passages, shares: map[string]int{}}
	e.weigh()
	return e
}

func TestReadingTakesInWhatAPassageSays(t *testing.T) {
	m := NewModel(nil)
	q := m.question(`Who bound "The Paper Year" for the Aske Observatory in 1983?`)
	p := shown(m, q, "a", "Aske Observatory (Harrowmere)", "It was built by Agnes Tolliver. The paper year, bound in 1983, lies in its library.", 1)
	if p.quoted != 1 || p.named != 1 || len(p.sentences) != 2 {
		t.Errorf("%d quotes, %d names, %d sentences", p.quoted, p.named, len(p.sentences))
	}
	if !slices.Contains(p.names, "aske observatory") || p.mentions["agnes tolliver"] != 0 || !slices.Contains(p.called, "agnes tolliver") {
		t.Errorf("called %q, calls %q", p.names, p.called)
	}
	if want := m.mask(q, "bound paper year aske observatory 1983"); p.held != want || p.title != m.mask(q, "aske observatory") {
		t.Errorf("holds %b of %b", p.held, want)
	}
	if first, second := p.sentences[0].held, p.sentences[1].held; first != 0 || second != m.mask(q, "bound paper year 1983") {
		t.Errorf("sentences hold %b and %b", first, second)
	}
}

func TestACutPassageIsReadAsFarAsItIsShown(t *testing.T) {
	m := NewModel(nil)
	q := m.question("river bridge")
	h := &winnow.Hit{Chunk: winnow.Chunk{ID: "a_0", Document: "a", Text: "The river. The bridge."}}
	if p := m.read(q, &winnow.Part{Chunk: h, Bytes: len("The river.")}); p.held != m.mask(q, "river") {
		t.Errorf("holds %b", p.held)
	}
}
