// Package recent remembers the vectors of the texts that were embedded last.
//
// The searches of a run ask for few texts, and for the same one often: the pages
// of one question at the same moment, what is open of it from several ends. A
// model that takes milliseconds for each, or a server that is paid for each,
// should be asked once. What was traded away is a megabyte of memory.
package recent

import (
	"context"
	"sync"

	"github.com/winnow-search/winnow"
)

const (
	// kept is how many texts are remembered, at a few kilobytes each.
	kept = 512
	// maxText is the longest text that is, in bytes: those of questions are short.
	maxText = 8 << 10
)

// Embedder is a [winnow.Embedder] that asks another for what it does not
// remember, and once for what several ask at the same time. It is meant for
// questions: several texts in one call go through as they are. It is safe for
// concurrent use; the vectors it returns are shared, and not to be written to.
type Embedder struct {
	winnow.Embedder

	mu     sync.Mutex
	byText map[string]*answer
	order  []string // the texts of byText, in a ring
	oldest int
}

// answer is what comes of a text. It is there when done is closed.
type answer struct {
	done    chan struct{}
	vectors [][]winnow.Vector
	err     error
}

// New returns e with a memory.
func New(e winnow.Embedder) *Embedder {
	return &Embedder{Embedder: e, byText: map[string]*answer{}}
}

// Embed implements [winnow.Embedder].
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	if len(texts) != 1 || len(texts[0]) > maxText {
		return e.Embedder.Embed(ctx, texts)
	}
	a, first := e.find(texts[0])
	if first {
		defer close(a.done)
		if a.vectors, a.err = e.Embedder.Embed(ctx, texts); a.err != nil {
			e.forget(texts[0], a)
		}
		return a.vectors, a.err
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if a.err != nil {
		// Perhaps only the patience of who asked first was over.
		return e.Embedder.Embed(ctx, texts)
	}
	return a.vectors, nil
}

// find returns the answer for a text, and whether the caller has to give it.
func (e *Embedder) find(text string) (a *answer, first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.byText[text]; a != nil {
		return a, false
	}
	a = &answer{done: make(chan struct{})}
	e.byText[text] = a
	if len(e.order) < kept {
		e.order = append(e.order, text)
		return a, true
	}
	delete(e.byText, e.order[e.oldest])
	e.order[e.oldest] = text
	e.oldest = (e.oldest + 1) % kept
	return a, true
}

// forget drops an answer that is an error, so that the next who asks tries again.
// Its place in the order stays, and makes way for nobody when its turn comes.
func (e *Embedder) forget(text string, a *answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byText[text] == a {
		delete(e.byText, text)
	}
}
