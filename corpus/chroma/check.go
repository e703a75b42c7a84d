package chroma

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/index"
)

const (
	// checked is how many stored documents are embedded again.
	checked = 5
	// checkedOf is the sample that they are the shortest of: a text that fits the
	// model's window has one vector, whoever cuts the longer ones how.
	checkedOf = 60
	// alike is the least cosine of an embedding with its repetition. Rounding to
	// int8 costs a thousandth; another model of the same length gives about 0.
	alike = 0.98
)

// Check embeds some stored documents again and compares them with their stored
// vectors. That the length is right says nothing: models of 384 dimensions
// abound. Its error says what to do.
func (c *Collection) Check(ctx context.Context, e winnow.Embedder, configured Layout) error {
	if d := e.Dim(); d != 0 && c.Dimension != 0 && d != c.Dimension {
		return c.foreign(e, fmt.Sprintf("its vectors have %d dimensions, and those of %s %d", c.Dimension, e.Name(), d))
	}
	sample, err := c.get(ctx, selection{Limit: checkedOf, Include: []string{withDocuments, withMetadata, withVectors}})
	if err != nil {
		return err
	}
	layout := configured.guess(sample)
	sample = slices.DeleteFunc(sample, func(r Record) bool { return strings.TrimSpace(r.Document) == "" || corpus.Unit(r.Vector) == nil })
	slices.SortStableFunc(sample, func(a, b Record) int { return cmp.Compare(len(a.Document), len(b.Document)) })
	sample = sample[:min(len(sample), checked)]
	for i := range sample {
		cos, err := likeness(ctx, e, layout, &sample[i])
		if err != nil {
			return err
		}
		if cos < alike {
			return c.foreign(e, fmt.Sprintf("the record %q embedded by %s is like its stored vector to %.2f only", sample[i].ID, e.Name(), cos))
		}
	}
	return nil
}

// likeness is the cosine of a record's vector with that of its text: alone, or
// led by title and heading, as Winnow and others embed it; whole, or as much as
// the model reads at once, as Chroma does.
func likeness(ctx context.Context, e winnow.Embedder, l Layout, r *Record) (best float64, err error) {
	chunk := l.chunk(r)
	forms, err := e.Embed(ctx, []string{r.Document, index.EmbedText(chunk.Title, chunk.Heading, r.Document)})
	if err != nil {
		return 0, err
	}
	if len(forms[0]) > 1 {
		first, err := firstWindow(ctx, e, r.Document)
		if err != nil {
			return 0, err
		}
		forms = append(forms, first)
	}
	stored := corpus.Unit(r.Vector)
	best = -1
	for _, windows := range forms {
		v := corpus.Mean(windows)
		if len(v) != len(stored) {
			continue
		}
		sum := 0.0
		for i := range v {
			sum += float64(v[i]) * float64(stored[i])
		}
		best = max(best, sum)
	}
	return best, nil
}

// firstWindow is the vector of the longest beginning of a text that has one.
func firstWindow(ctx context.Context, e winnow.Embedder, text string) (vectors []winnow.Vector, err error) {
	words := strings.Fields(text)
	for fits, over := 0, len(words); over-fits > 1; {
		n := (fits + over) / 2
		vs, err := e.Embed(ctx, []string{strings.Join(words[:n], " ")})
		if err != nil {
			return nil, err
		}
		if len(vs[0]) > 1 {
			over = n
			continue
		}
		fits, vectors = n, vs[0]
	}
	return vectors, nil
}

// foreign is the error of an embedder that is not the collection's.
func (c *Collection) foreign(e winnow.Embedder, why string) error {
	made := ""
	if name := c.Embedder(); name != "" {
		made = " (the collection says " + name + ")"
	}
	return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the vectors of %s were made by another model than %s%s: %s", c.Name, e.Name(), made, why),
		Hint: "set embedder and embedder_model to the server of the model that made them, or --no-dense to search words and links alone"}
}
