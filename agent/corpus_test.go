package agent_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/token"
)

// memory is a corpus of a few documents, ranked by how many of the query's words
// a chunk holds. It keeps the promises of [winnow.Corpus]: exclusions are applied
// before the best are taken.
type memory struct {
	documents []*winnow.Document
	jitter    bool  // answer after a random number of turns of the scheduler
	fail      error // every call fails with it
	stall     bool  // searches wait for their context
	// answers is how many calls are answered before the corpus is gone; 0 means
	// that it stays.
	answers int64
	calls   atomic.Int64
}

// newMemory makes documents of the chunks given, with ids a0, a1 … for each.
func newMemory(documents ...[]string) *memory {
	m := &memory{}
	for i, texts := range documents {
		m.add(fmt.Sprintf("d%02d", i), texts...)
	}
	return m
}

func (m *memory) add(id string, texts ...string) *winnow.Document {
	d := &winnow.Document{ID: id, Title: "Title of " + id}
	line := 1
	for n, text := range texts {
		d.Chunks = append(d.Chunks, winnow.Chunk{ID: winnow.ChunkID(id, n), Document: id, Ordinal: n, Title: d.Title,
			Text: text, Tokens: token.Count(text[:min(len(text), 4096)]), Lines: [2]int{line, line + strings.Count(text, "\n")}})
		line += strings.Count(text, "\n")
	}
	m.documents = append(m.documents, d)
	return d
}

func (m *memory) enter(ctx context.Context) error {
	if m.jitter {
		for range rand.IntN(50) {
			runtime.Gosched()
		}
	}
	if m.stall {
		<-ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.answers > 0 && m.calls.Add(1) > m.answers {
		return &winnow.Error{Code: winnow.Unavailable, Message: "the collection is gone"}
	}
	return m.fail
}

func (m *memory) chunks(s winnow.Scope) []winnow.Chunk {
	where, err := filter.Parse(s.Where)
	if err != nil {
		return nil
	}
	path, err := filter.CompileGlob(s.Path)
	if err != nil {
		return nil
	}
	var out []winnow.Chunk
	for _, d := range m.documents {
		for _, c := range d.Chunks {
			if !slices.Contains(s.ExcludeChunks, c.ID) && !slices.Contains(s.ExcludeDocuments, d.ID) &&
				filter.Match(where, c.Metadata, c.Text) && (s.Path == "" || path.Match(cmp.Or(c.Path, d.ID))) {
				out = append(out, c)
			}
		}
	}
	return out
}

func (m *memory) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	r := &winnow.Results{}
	for _, c := range m.chunks(q.Scope) {
		score := 0
		for _, w := range strings.Fields(strings.ToLower(q.Text)) {
			if strings.Contains(strings.ToLower(c.Text), w) {
				score++
			}
		}
		if score > 0 {
			r.Hits = append(r.Hits, winnow.Hit{Chunk: c, Score: float64(score), Features: []float32{float32(score)}})
		}
	}
	slices.SortStableFunc(r.Hits, func(a, b winnow.Hit) int { return cmp.Compare(b.Score, a.Score) })
	r.Hits = r.Hits[:min(len(r.Hits), q.K)]
	return r, nil
}

func (m *memory) Grep(ctx context.Context, q winnow.GrepQuery) (*winnow.Matches, error) {
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(q.Pattern)
	if err != nil {
		return nil, &winnow.Error{Code: winnow.BadPattern, Message: err.Error()}
	}
	out := &winnow.Matches{}
	for _, c := range m.chunks(q.Scope) {
		if len(out.Matches) == q.Chunks {
			out.Truncated = true
			break
		}
		if re.MatchString(c.Text) {
			out.Matches = append(out.Matches, winnow.Match{Chunk: c, Line: c.Lines[0], Text: c.Text})
		}
	}
	return out, nil
}

func (m *memory) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	for _, d := range m.documents {
		if d.ID == q.ID {
			return d, nil
		}
	}
	return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no document %q", q.ID), Hint: "an id that a search returned"}
}

func (m *memory) Neighbours(ctx context.Context, q winnow.LinkQuery) (*winnow.Neighbours, error) {
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	out := &winnow.Neighbours{}
	for _, c := range m.chunks(q.Scope) {
		if len(out.Neighbours) < q.K && strings.Contains(c.Text, "link") {
			out.Neighbours = append(out.Neighbours, winnow.Neighbour{Hit: winnow.Hit{Chunk: c}, From: q.From[0], Kind: winnow.LinkNamed, Via: "link"})
		}
	}
	return out, nil
}

func (m *memory) Describe(ctx context.Context) (*winnow.Description, error) {
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	return &winnow.Description{Documents: len(m.documents), Chunks: len(m.chunks(winnow.Scope{})),
		Folders: []winnow.Facet{{Value: "notes", Count: 3}}, Keys: []winnow.KeyUse{{Key: "year", Count: 2, Values: []winnow.Facet{{Value: int64(2001), Count: 2}}}}}, nil
}

func (m *memory) Close() error { return nil }

// library is a corpus large enough to fill a view many times.
func library(documents, chunks, words int) *memory {
	m := &memory{}
	r := rand.New(rand.NewPCG(1, 2))
	for d := range documents {
		texts := make([]string, chunks)
		for c := range texts {
			var b strings.Builder
			for w := range words {
				if w > 0 {
					b.WriteByte(" \n"[min(1, r.IntN(20)/19)])
				}
				b.WriteString(lexicon[r.IntN(len(lexicon))])
			}
			texts[c] = b.String()
		}
		m.add(fmt.Sprintf("doc/%03d", d), texts...)
	}
	return m
}

var lexicon = strings.Fields("river stone winter market garden engine letter harbour silver forest candle bridge copper island thunder velvet " +
	"morning shadow orchard lantern meadow window castle feather kingdom journey winnow harvest link anchor compass 1984 café naïve Zürich 東京 \"quoted\" back\\slash")
