package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// list is a call of list_corpus.
type list struct{ description *winnow.Description }

func prepareList(*ledger, arguments) (job, error) { return &list{}, nil }

func (s *list) fetch(ctx context.Context, t *act) (err error) {
	s.description, err = t.run.options.Corpus.Describe(ctx)
	return err
}

func (s *list) place(_ context.Context, c *commit) {
	d := s.description
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.", plural(d.Documents, "document"), plural(d.Chunks, "chunk"))
	for _, k := range d.Keys {
		fmt.Fprintf(&b, "\nkey %s (%s): %s", label(k.Key, 64), plural(k.Count, "chunk"), facets(k.Values))
	}
	if len(d.Folders) > 0 {
		b.WriteString("\nfolders: " + facets(d.Folders))
	}
	if len(d.Headings) > 0 {
		b.WriteString("\nheadings: " + facets(d.Headings))
	}
	c.text(b.String())
}

// facets writes values with their numbers. Strings are quoted, so that a filter
// can be written with the right type.
func facets(list []winnow.Facet) string {
	out := make([]string, len(list))
	for i, f := range list {
		value := fmt.Sprint(f.Value)
		if s, ok := f.Value.(string); ok {
			value = fmt.Sprintf("%q", s)
		}
		out[i] = fmt.Sprintf("%s ×%d", label(value, 96), f.Count)
	}
	return strings.Join(out, ", ")
}
