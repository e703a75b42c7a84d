package open

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
)

// followEvery is how old what a keeper has of a Chroma collection may be. To
// follow one takes calls to its server and a lock: questions that come together
// share what the first of them opened.
const followEvery = 5 * time.Second

// remote is a collection on a server that a keeper has open.
type remote struct {
	mu       sync.Mutex // one opens it at a time
	corpus   *shared
	warnings []string
	opened   time.Time
}

// shared is a corpus that is closed when the last who uses it is done.
type shared struct {
	winnow.Corpus
	users atomic.Int64
}

func (s *shared) release() error {
	if s.users.Add(-1) > 0 {
		return nil
	}
	return s.Corpus.Close()
}

// lease is one use of a shared corpus.
type lease struct {
	*shared
	once sync.Once
}

func (l *lease) Close() (err error) {
	l.once.Do(func() { err = l.release() })
	return err
}

// remote opens the collection at an address, or shares what was opened a moment
// ago.
func (k *Keeper) remote(ctx context.Context, address string) (winnow.Corpus, []string, error) {
	k.mu.Lock()
	r := k.remotes[address]
	if r == nil {
		r = &remote{}
		k.remotes[address] = r
	}
	k.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.corpus == nil || time.Since(r.opened) > followEvery {
		one := newOpened(k.home, k.dir)
		if err := k.home.openChroma(ctx, one, address, k.models, Options{Config: k.config}); err != nil {
			return nil, nil, err
		}
		r.close()
		r.corpus, r.warnings, r.opened = &shared{Corpus: one.Corpus}, one.Warnings, time.Now()
		r.corpus.users.Add(1) // the keeper
	}
	r.corpus.users.Add(1)
	return &lease{shared: r.corpus}, r.warnings, nil
}

func (r *remote) close() error {
	if r.corpus == nil {
		return nil
	}
	c := r.corpus
	r.corpus = nil
	return c.release()
}
