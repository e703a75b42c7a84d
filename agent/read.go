package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/winnow-search/winnow"
)

// readChunks is how many chunks of a document are ranked, at most.
const readChunks = 300

// read is a call of read_document.
type read struct {
	id       string
	document *winnow.Document
	// rank is the place of each chunk by relevance, where not all of them can be
	// shown.
	rank map[string]int
}

func prepareRead(l *ledger, a arguments) (job, error) {
	id := a.string("doc_id")
	if found := l.lookup(id); len(found) > 0 {
		id = l.document(found[0].hit)
	}
	return &read{id: id}, nil
}

func (r *read) fetch(ctx context.Context, t *act) error {
	corpus := t.run.options.Corpus
	d, err := corpus.Read(ctx, winnow.ReadQuery{ID: r.id})
	if err != nil {
		return err
	}
	in := *d
	in.Chunks = nil
	tokens := 0
	for i := range d.Chunks {
		if t.run.scope.holds(&d.Chunks[i]) {
			in.Chunks = append(in.Chunks, d.Chunks[i])
			tokens += d.Chunks[i].Tokens
		}
	}
	if len(in.Chunks) == 0 {
		return &winnow.Error{Code: winnow.NotFound, Message: "document " + label(r.id, maxName) + " is outside what this run may see", Hint: "ids that a search returned"}
	}
	r.document = &in
	if tokens <= t.fair/2 { // headers and escapes may take as much again
		return nil
	}
	results, err := corpus.Search(ctx, winnow.Query{Text: r.about(t.ledger), K: readChunks, Scope: t.run.scope.within(d)})
	if err != nil {
		return nil // then they are shown from the beginning
	}
	r.rank = map[string]int{}
	for i, h := range results.Hits {
		r.rank[t.ledger.id(&h)] = i + 1
	}
	return nil
}

// about is what the chunks of a document that does not fit are ranked against.
func (r *read) about(l *ledger) string {
	if f := l.founds[l.document(&winnow.Hit{Chunk: r.document.Chunks[0]})]; f != nil && f.query != "" && !l.profile.readByQuestion {
		return f.query
	}
	return l.start.Question
}

func (r *read) place(_ context.Context, c *commit) {
	var here []string
	var fresh []*winnow.Hit
	for i := range r.document.Chunks {
		h := c.hit(r.document.Chunks[i])
		id := c.ledger.id(h)
		s := c.ledger.chunks[id]
		// A chunk that is in view cut may be shown again, whole; it is then no
		// longer at its old place.
		if c.taken[id] || s != nil && c.ledger.inView(s) && s.bytes == 0 {
			here = append(here, c.refer(id))
			continue
		}
		fresh = append(fresh, h)
	}
	left := 0
	for _, h := range c.fitting(fresh, r.rank) {
		if !c.chunk(h) {
			break
		}
		left++
	}
	if left = len(fresh) - left; left > 0 {
		c.text(grouped(left) + " chunks of this document did not fit.")
	}
	c.already(here)
}

// fitting picks the best chunks that fit, and returns them in document order.
func (c *commit) fitting(chunks []*winnow.Hit, rank map[string]int) []*winnow.Hit {
	best := slices.Clone(chunks)
	slices.SortStableFunc(best, func(a, b *winnow.Hit) int {
		return cmp.Compare(cmp.Or(rank[c.ledger.id(a)], readChunks+1), cmp.Or(rank[c.ledger.id(b)], readChunks+1))
	})
	room := c.room - noteRoom
	var picked []*winnow.Hit
	for i, h := range best {
		if ahead(h.Text, room) != h.Text {
			if i == 0 {
				picked = append(picked, h) // to be cut
			}
			break
		}
		p := c.part(h)
		_, cost := c.with(c.ledger.measured(&p).tally)
		if cost > room && i > 0 {
			break
		}
		room -= cost
		picked = append(picked, h)
	}
	slices.SortStableFunc(picked, func(a, b *winnow.Hit) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return picked
}
