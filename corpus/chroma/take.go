package chroma

import (
	"context"
	"slices"
	"time"
)

// fetched is a page on its way.
type fetched struct {
	records []Record
	err     error
}

// read reads records and writes the documents whose content differs. The next
// page is on its way while one is written.
func (f *following) read(ctx context.Context, ids []string) error {
	fetch := func(from int) chan fetched {
		if from >= len(ids) {
			return nil
		}
		to := make(chan fetched, 1)
		go func() {
			records, err := f.collection.byID(ctx, ids[from:min(from+f.collection.limits.Page, len(ids))], withDocuments, withMetadata)
			to <- fetched{records, err}
		}()
		return to
	}
	page := f.collection.limits.Page
	on := fetch(0)
	for from := 0; from < len(ids); from += page {
		got := <-on
		on = fetch(from + page)
		err := got.err
		if err == nil {
			err = f.take(ctx, got.records)
		}
		if err != nil {
			if on != nil {
				<-on // nothing is left behind
			}
			return err
		}
		if f.o.Progress != nil {
			f.o.Progress(min(from+page, len(ids)), len(ids))
		}
	}
	return nil
}

// take enters a page of records and writes what differs.
func (f *following) take(ctx context.Context, records []Record) error {
	have := map[string]*Record{}
	var touched []string
	touch := func(document string) {
		if !slices.Contains(touched, document) {
			touched = append(touched, document)
		}
	}
	for i := range records {
		r := &records[i]
		have[r.ID] = r
		hash := hashOf(r)
		document, order, numbered := f.state.Layout.place(r)
		if old := f.byID[r.ID]; old != nil {
			if old.hash == hash && old.document == document {
				continue
			}
			if f.forget(old); old.document != document {
				touch(old.document)
			}
			if !numbered {
				order = old.order
			}
		} else if !numbered {
			order = f.next
		}
		f.add(&entry{id: r.ID, document: document, order: order, hash: hash})
		f.put++
		touch(document)
	}
	slices.Sort(touched)
	for _, document := range touched {
		if err := f.rewrite(ctx, document, have); err != nil {
			return err
		}
	}
	if time.Since(f.committed) > commitEvery {
		return f.commit(ctx)
	}
	return nil
}

// rewrite puts a document as its records are now, reading those that are not at
// hand. One without records is deleted.
func (f *following) rewrite(ctx context.Context, document string, have map[string]*Record) error {
	of := f.byDocument[document]
	if len(of) == 0 {
		return f.w.Delete(ctx, document)
	}
	var missing []string
	for _, e := range of {
		if have[e.id] == nil {
			missing = append(missing, e.id)
		}
	}
	more, err := f.collection.byID(ctx, missing, withDocuments, withMetadata)
	if err != nil {
		return err
	}
	found := make(map[string]*Record, len(more))
	for i := range more {
		found[more[i].ID] = &more[i]
	}
	number(of)
	var records []Record
	for _, e := range of {
		switch {
		case have[e.id] != nil:
			records = append(records, *have[e.id])
		case found[e.id] != nil:
			e.hash = hashOf(found[e.id])
			records = append(records, *found[e.id])
		default: // deleted just now; its place stays until the next sync
			records = append(records, Record{ID: e.id})
		}
	}
	return f.w.Put(ctx, f.state.Layout.document(document, records))
}
