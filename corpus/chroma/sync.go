package chroma

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// SyncOptions of [Companion.Sync].
type SyncOptions struct {
	// Full compares every record. Without it, records that are new or gone are
	// found by their ids, and those that changed in place only if they are in
	// the sample.
	Full bool
	// Embedder is the one that the collection's vectors are of; nil copies no
	// vectors. It must have passed [Collection.Check].
	Embedder winnow.Embedder
	// Progress is told how many records of how many were read.
	Progress func(done, total int)
	// Filling is told how many chunks of how many have their vectors.
	Filling func(done, total int)
}

// Synced is what a sync did.
type Synced struct {
	// Put and Deleted count records.
	Put, Deleted int
	Records      int
	Took         time.Duration
}

const (
	// guessed is how many records a layout is guessed from.
	guessed = 300
	// commitEvery is how long records are collected before they are committed:
	// what a kill may cost.
	commitEvery = 30 * time.Second
	// idPage is how many ids one reply lists on a single node.
	idPage = 10_000
)

// Sync brings the companion up to date with its collection. What was committed
// when it is interrupted stays. Only one process should sync a companion at a
// time; several do no harm but work twice.
func (k *Companion) Sync(ctx context.Context, c *Collection, o SyncOptions) (*Synced, error) {
	start := time.Now()
	if err := os.MkdirAll(k.dir, 0o700); err != nil { // the documents may be private
		return nil, err
	}
	dir := k.indexDir(c.ID)
	ix, err := index.Create(dir, index.Settings{Language: k.language})
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	f := &following{collection: c, ix: ix, o: o, byID: map[string]*entry{}, byDocument: map[string][]*entry{}, committed: start}
	if err := f.load(); err != nil {
		return nil, err
	}
	if err := f.follow(ctx, k.layout); err != nil {
		return nil, err
	}
	k.sweep(dir)
	if o.Embedder != nil {
		source := &copied{collection: c, embedder: o.Embedder, byDocument: f.byDocument}
		if err := ix.FillFrom(ctx, source, index.FillOptions{Progress: o.Filling, Batch: min(c.limits.Page, vectorPage)}); err != nil {
			return nil, err
		}
	}
	return &Synced{Put: f.put, Deleted: f.deleted, Records: len(f.byID), Took: time.Since(start)}, nil
}

// following is one sync under way.
type following struct {
	collection *Collection
	ix         *index.Index
	o          SyncOptions
	state      state
	table      table // at the start
	// The records that the companion holds.
	byID       map[string]*entry
	byDocument map[string][]*entry
	next       int64 // order of the next record that has no number
	w          *index.Writer
	put        int
	deleted    int
	committed  time.Time
}

func (f *following) load() error {
	snap, err := f.ix.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	st, t, err := stored(snap)
	if err != nil {
		return err
	}
	f.state, f.table = st, t
	for i := range t {
		f.add(&t[i])
	}
	for _, of := range f.byDocument {
		number(of)
	}
	return nil
}

func (f *following) add(e *entry) {
	f.byID[e.id] = e
	f.byDocument[e.document] = append(f.byDocument[e.document], e)
	f.next = max(f.next, e.order+1)
}

// follow finds what changed and writes it.
func (f *following) follow(ctx context.Context, configured Layout) (err error) {
	count, err := f.collection.Count(ctx)
	if err != nil {
		return err
	}
	same, err := f.collection.unchanged(ctx, f.table)
	if err != nil {
		return err
	}
	if same && f.state.Complete && count == len(f.table) && !f.o.Full {
		return nil
	}
	if f.w, err = f.ix.Writer(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.w.Close()) }()
	if f.state.Collection == "" || f.state.Sample < guessed && count > f.state.Sample {
		if err := f.guess(ctx, configured); err != nil {
			return err
		}
	}
	ids, err := f.ids(ctx, count)
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(ids))
	var read []string
	for _, id := range ids {
		there[id] = true
		if f.o.Full || !same || f.byID[id] == nil {
			read = append(read, id)
		}
	}
	if err := f.remove(ctx, there); err != nil {
		return err
	}
	if f.state.Layout.Separator != "" { // chunks of one document come together
		slices.Sort(read)
	}
	if err := f.read(ctx, read); err != nil {
		return errors.Join(err, f.commit(context.WithoutCancel(ctx)))
	}
	f.state.Complete, f.state.Synced = true, time.Now().UTC()
	return f.commit(ctx)
}

// guess settles the layout. What was guessed from few records is guessed again
// when there are more, and if it comes out otherwise all are read again.
func (f *following) guess(ctx context.Context, configured Layout) error {
	sample, err := f.collection.get(ctx, selection{Limit: min(guessed, f.collection.limits.Page), Include: []string{withDocuments, withMetadata}})
	if err != nil {
		return err
	}
	layout := configured.guess(sample)
	if layout != f.state.Layout {
		for document := range f.byDocument {
			if err := f.w.Delete(ctx, document); err != nil {
				return err
			}
		}
		clear(f.byDocument)
		clear(f.byID)
	}
	f.state = state{Collection: f.collection.ID, Layout: layout, Sample: len(sample)}
	return nil
}

// ids lists the collection. A record that is moved by a write meanwhile may be
// missed; the count tells at the next sync.
func (f *following) ids(ctx context.Context, count int) ([]string, error) {
	page := idPage
	if f.collection.limits.Search {
		page = f.collection.limits.Page
	}
	ids := make([]string, 0, count)
	seen := make(map[string]bool, count)
	for offset := 0; ; offset += page {
		some, err := f.collection.get(ctx, selection{Limit: page, Offset: offset})
		if err != nil {
			return nil, err
		}
		for i := range some {
			if !seen[some[i].ID] {
				seen[some[i].ID] = true
				ids = append(ids, some[i].ID)
			}
		}
		if len(some) < page {
			return ids, nil
		}
	}
}

// remove forgets records that are gone, and writes their documents without them.
func (f *following) remove(ctx context.Context, there map[string]bool) error {
	touched := map[string]bool{}
	for id, e := range f.byID {
		if !there[id] {
			touched[e.document] = true
			f.forget(e)
			f.deleted++
		}
	}
	for document := range touched {
		if err := f.rewrite(ctx, document, nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *following) forget(e *entry) {
	delete(f.byID, e.id)
	rest := slices.DeleteFunc(f.byDocument[e.document], func(o *entry) bool { return o == e })
	if f.byDocument[e.document] = rest; len(rest) == 0 {
		delete(f.byDocument, e.document)
	}
}

func (f *following) commit(ctx context.Context) error {
	t := make(table, 0, len(f.byID))
	for _, e := range f.byID {
		t = append(t, *e)
	}
	data, err := json.Marshal(f.state)
	if err != nil {
		return err
	}
	f.w.SetBlob(stateBlob, data)
	f.w.SetBlob(tableBlob, t.encode())
	f.committed = time.Now()
	return f.w.Commit(ctx)
}
