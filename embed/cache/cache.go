// Package cache keeps the vectors of an embedder by the hash of their text, in
// one file per vector space that all collections and processes of a user share.
//
// Embedding is the only slow part of indexing. With the cache in front of the
// embedder an indexing that was killed goes on where it was, a collection that
// is rebuilt or holds the text of another computes nothing, and nobody has to
// keep track of who has computed what.
//
// Vectors are kept in int16 with a scale each, which makes a record of 804 bytes
// out of 384 dimensions. The index keeps int8, but of vectors it has rotated:
// to round them to int8 here would round twice, and on other axes, which makes
// the error of vectors with one outlying dimension of 0.7 six times the index's
// own (1 − cosine, the worst of 3,000). Rounded to int16 they lose nothing that
// the index would have kept.
// So that nothing depends on what was cached, a vector that was just computed is
// rounded too: a text has the same vectors the first time and every other time.
//
// What was traded away is memory and the first call: it reads the whole file (to
// know its keys, and to skip what is damaged) and holds some 25 bytes per
// record. A file of 100,000 MiniLM vectors takes a fraction of a second; one of
// gigabytes, seconds. Wrap the embedder that fills indexes, not the one that
// embeds single queries. And nothing is synced to disk: a power cut loses what
// the system had not yet written, which is computed again.
package cache

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/winnow-search/winnow"
)

// DefaultMaxBytes is the bound on the files of a space if none is given: five
// million vectors of 384 dimensions.
const DefaultMaxBytes = 4 << 30

// Embedder is a [winnow.Embedder] that asks another only for what it has not
// kept. It is safe for concurrent use, by several processes too.
type Embedder struct {
	// MaxBytes bounds the space's files, approximately; 0 means
	// [DefaultMaxBytes]. It is set before the first use.
	//
	// The files are two of half that size. When the newer is full it becomes the
	// older, and what was the older is dropped, but for what was asked for
	// meanwhile: that has been copied to the newer. Vectors that are in use stay
	// as long as they fit into half.
	MaxBytes int64

	inner winnow.Embedder
	store *store
}

// New returns e with a cache in dir, which is made if it is missing. The folder
// and its files are for the user alone: vectors tell much of their texts.
func New(e winnow.Embedder, dir string) (*Embedder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unusable(dir, err)
	}
	s, err := openStore(dir, e.Name())
	if err != nil {
		return nil, unusable(dir, err)
	}
	return &Embedder{inner: e, store: s}, nil
}

func unusable(dir string, err error) error {
	return &winnow.Error{Code: winnow.BadInput, Message: "vectors can't be kept in " + dir,
		Hint: "a folder that you may write to", Err: err}
}

// Name is that of the space, which is the other embedder's.
func (e *Embedder) Name() string { return e.inner.Name() }

// Dim is that of the space. If the other embedder does not know it yet, as one
// on a server may not before it has been asked, it is that of the newest vector
// kept.
func (e *Embedder) Dim() int {
	if dim := e.inner.Dim(); dim != 0 {
		return dim
	}
	return e.store.dim()
}

// Embed implements [winnow.Embedder]. What is not kept is computed by one call of
// the other embedder and kept before Embed returns. If that call fails its error
// is returned, and what earlier calls have kept stays. That the cache itself
// can't be read or written is no reason to fail: see [Embedder.Close].
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	keys := make([]key, len(texts))
	first := make(map[key]string, len(texts)) // each text once, an empty one never
	var order []key
	for i, text := range texts {
		if text == "" {
			continue
		}
		keys[i] = keyOf(e.Name(), text)
		if _, ok := first[keys[i]]; !ok {
			first[keys[i]] = text
			order = append(order, keys[i])
		}
	}
	dim := e.Dim()
	records, aged := e.store.find(order, dim)
	kept := len(records)
	missing := make([]string, 0, len(order)-kept)
	for _, k := range order {
		if records[k] == nil {
			missing = append(missing, first[k])
		}
	}
	fresh := aged
	if len(missing) > 0 {
		computed, err := e.compute(ctx, missing)
		if err != nil {
			return nil, err
		}
		for _, k := range order {
			if records[k] == nil {
				records[k] = appendRecord(nil, k, computed[0])
				fresh, computed = append(fresh, records[k]), computed[1:]
			}
		}
	}
	e.store.keep(ctx, fresh, e.maxBytes())
	if now := e.inner.Dim(); kept > 0 && now != 0 && now != dim {
		// The other embedder has learnt its dimension just now, and what was kept
		// under the space's name has another: it is computed anew.
		return e.Embed(ctx, texts)
	}
	vectors := make([][]winnow.Vector, len(texts))
	for i, k := range keys {
		if texts[i] != "" {
			vectors[i] = vectorsOf(records[k])
		}
	}
	return vectors, nil
}

func (e *Embedder) maxBytes() int64 {
	if e.MaxBytes <= 0 {
		return DefaultMaxBytes
	}
	return e.MaxBytes
}

// compute embeds texts and refuses what must not be kept.
func (e *Embedder) compute(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	computed, err := e.inner.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(computed) != len(texts) {
		return nil, bad(e.Name(), fmt.Sprintf("returned vectors for %d texts of %d", len(computed), len(texts)))
	}
	dim := e.inner.Dim()
	for _, vectors := range computed {
		for _, v := range vectors {
			if dim == 0 {
				dim = len(v)
			}
			if len(v) != dim {
				return nil, bad(e.Name(), fmt.Sprintf("returned a vector of %d dimensions instead of %d", len(v), dim))
			}
			for _, f := range v {
				if f != f || math.IsInf(float64(f), 0) {
					return nil, bad(e.Name(), "returned a vector that holds something that is not a number")
				}
			}
		}
	}
	return computed, nil
}

func bad(name, what string) error {
	return &winnow.Error{Code: winnow.BadInput, Message: "the embedder " + name + " " + what, Hint: "check the embedder"}
}

// Close closes the files, after the last use. Its error is the first thing that went wrong with
// them: vectors were then computed and returned, but not kept or not found.
func (e *Embedder) Close() error {
	if err := e.store.close(); err != nil {
		return &winnow.Error{Code: winnow.Unavailable, Message: "some vectors were not kept, and will be computed again",
			Hint: "check the free space and the rights of the cache's folder", Err: err}
	}
	return nil
}

var _ winnow.Embedder = (*Embedder)(nil)
