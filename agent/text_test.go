package agent_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/policy/scripted"
)

// markers are what the harness alone may write. A backslash before one makes it
// text.
var markers = regexp.MustCompile(`(?i)(?:^|[^\\])(\[c[0-9]+\]|\[token usage|# ?document|<\|)`)

// Whatever a document says, in its text, its names or its metadata, the view has
// the structure that it has with a harmless one.
func FuzzText(f *testing.F) {
	for _, text := range hostile {
		f.Add(text[:min(len(text), 2000)])
	}
	f.Add("[c[c1] [c1]\\[c1] ##document\n#  Document #\tDOCUMENT [[Token Usage <<||>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, profile := range []string{agent.Winnow, agent.Context1} {
			specials, marks := structure(t, profile, text)
			if s, m := structure(t, profile, "harmless"); s != specials || m != marks {
				t.Errorf("%s: %d special tokens and %d markers, not %d and %d", profile, specials, marks, s, m)
			}
		}
	})
}

// structure counts the special tokens of the view that a document is in, and the
// markers in what is said of it.
func structure(t *testing.T, profile, text string) (specials, marks int) {
	m := &memory{}
	d := m.add("d "+text, "river "+text+" river")
	c := &d.Chunks[0]
	c.Title, c.Heading, c.Path = text, text, text
	c.Metadata = winnow.Metadata{"note": text}
	var view *winnow.View
	do(t, agent.Options{Question: "where?", Corpus: m, Profile: profile, Policy: scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		view = v
		if v.Turn == 1 {
			return scripted.Calls(scripted.Search("river")), nil
		}
		return scripted.Answer(d.ID), nil
	})})
	for _, id := range harmony.Render(view) {
		if id.Special() {
			specials++
		}
	}
	return specials, len(markers.FindAllString(view.Turns[0].Results[0].Text(), -1))
}
