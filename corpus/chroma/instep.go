package chroma

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// sampled is how many records are compared to find out whether a collection has
// changed in place: with 32, a change to a tenth of it is noticed 29 times of 30.
const sampled = 32

// InStep reports whether the companion is complete and seems to hold what the
// collection holds: as many records, and the same in a sample. It writes
// nothing, so any number of searches can look at once. With an embedder the
// vectors have to be there too.
func (k *Companion) InStep(ctx context.Context, c *Collection, e winnow.Embedder) (bool, error) {
	ix, err := index.Open(k.indexDir(c.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer ix.Close()
	snap, err := ix.Snapshot()
	if err != nil {
		return false, err
	}
	defer snap.Close()
	st, records, err := stored(snap)
	if err != nil || !st.Complete || e != nil && len(records) > 0 && snap.Coverage(e.Name()) < 1 {
		return false, err
	}
	count, err := c.Count(ctx)
	if err != nil || count != len(records) {
		return false, err
	}
	return c.unchanged(ctx, records)
}

// unchanged compares some records with the server's. Those that are gone are
// told by the count.
func (c *Collection) unchanged(ctx context.Context, records table) (bool, error) {
	var ids []string
	for _, i := range pick(len(records)) {
		ids = append(ids, records[i].id)
	}
	now, err := c.byID(ctx, ids, withDocuments, withMetadata)
	if err != nil {
		return false, err
	}
	for i := range now {
		if records.find(now[i].ID).hash != hashOf(&now[i]) {
			return false, nil
		}
	}
	return true, nil
}

// pick draws up to [sampled] different numbers below n.
func pick(n int) []int {
	if n <= sampled {
		return rand.Perm(n)
	}
	seen := map[int]bool{}
	for len(seen) < sampled {
		seen[rand.IntN(n)] = true
	}
	return slices.Collect(maps.Keys(seen))
}
