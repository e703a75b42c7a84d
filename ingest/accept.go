package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-search/winnow"
)

// readState is a file between its first and its last reading.
type readState struct {
	was    entry             // what was known of the file
	before map[string]uint64 // documents it had and that were not met again yet
}

// accept takes the result of one reading, in order.
func (s *syncer) accept(r *reading) error {
	e, f := &s.entries[r.entry], s.files[r.entry]
	if r.unchanged {
		was := *e
		e.stat, e.racy = f.stat, f.changed >= s.racyFrom
		s.changed = s.changed || was.stat != e.stat || was.racy != e.racy
	} else {
		if r.first {
			s.begin(e, r.file)
		}
		for i, d := range r.documents {
			if err := s.document(e, r, d, r.hashes[i]); err != nil {
				return err
			}
		}
		e.warn(r.warnings...)
		if r.last {
			s.finish(e, f, r)
		} else if r.err != nil {
			e.warn(reason(r.err)) // the other blocks may be good
		}
	}
	if r.last {
		s.progress.Files++
	}
	s.progress.Bytes += r.size
	if s.opts.Progress != nil {
		s.opts.Progress(s.progress)
	}
	return nil
}

// begin empties an entry and frees the ids of its documents.
func (s *syncer) begin(e *entry, state *readState) {
	state.was, state.before = *e, make(map[string]uint64, len(e.documents))
	for _, d := range e.documents {
		state.before[d.id] = d.hash
		delete(s.taken, d.id)
	}
	*e = entry{path: e.path}
}

// document puts a document unless it is there already.
func (s *syncer) document(e *entry, r *reading, d *winnow.Document, hash uint64) error {
	if d.ID != e.path && !s.take(d.ID) {
		if !e.shadowed {
			e.warn(fmt.Sprintf("documents whose id another has are left out, the first is %q", d.ID))
		}
		e.shadowed = true
		return nil
	}
	size := 0
	for i := range d.Chunks {
		size += len(d.Chunks[i].Text)
	}
	e.documents = append(e.documents, documentState{d.ID, hash})
	e.chunks += len(d.Chunks)
	e.bytes += int64(size)
	delete(s.dropped, d.ID)
	before, known := r.file.before[d.ID]
	delete(r.file.before, d.ID)
	if known && before == hash {
		return nil
	}
	if err := s.sink.Put(s.ctx, d); err != nil {
		return err
	}
	s.changed = true
	s.put++
	if s.uncommitted += size; s.uncommitted < s.opts.commitEvery {
		return nil
	}
	s.uncommitted = 0
	table := s.table()
	table.entries[r.entry].documents = append(slices.Clone(e.documents), r.file.left()...)
	return s.sink.Commit(s.ctx, table)
}

// take claims an id for a document that is not called like its file, if no other
// has it.
func (s *syncer) take(id string) bool {
	if s.taken == nil {
		s.taken = map[string]bool{}
		for i := range s.entries {
			for _, d := range s.entries[i].documents {
				s.taken[d.id] = true
			}
		}
	}
	_, isFile := slices.BinarySearchFunc(s.entries, id, func(e entry, id string) int { return cmp.Compare(e.path, id) })
	if isFile || s.taken[id] {
		return false
	}
	s.taken[id] = true
	return true
}

// left are the documents that a file had and that were not met again.
func (r *readState) left() []documentState {
	var left []documentState
	for _, id := range slices.Sorted(maps.Keys(r.before)) {
		left = append(left, documentState{id, r.before[id]})
	}
	return left
}

// finish completes the entry of a file that was read.
func (s *syncer) finish(e *entry, f *file, r *reading) {
	var left skip
	switch {
	case r.err == nil:
	case errors.As(r.err, &left):
		e.skip = string(left)
	default:
		e.failure = reason(r.err)
	}
	if isUnreadable(r.err) {
		// It is there but can't be seen: what is known of it stays, and it is
		// tried again next time.
		e.documents = append(e.documents, r.file.left()...)
		e.chunks, e.bytes = max(e.chunks, r.file.was.chunks), max(e.bytes, r.file.was.bytes)
	} else {
		e.stat, e.hash, e.racy = f.stat, r.hash, f.changed >= s.racyFrom
		for id := range r.file.before {
			s.dropped[id] = true
		}
	}
	s.changed = s.changed || !e.equal(&r.file.was)
}

// maxWarnings bounds the warnings about one file; a corpus of bad lines has one
// for each.
const maxWarnings = 20

func (e *entry) warn(warnings ...string) {
	for _, w := range warnings {
		switch {
		case len(e.warnings) < maxWarnings:
			e.warnings = append(e.warnings, w)
		case len(e.warnings) == maxWarnings:
			e.warnings = append(e.warnings, "and more")
		}
	}
}

func (e *entry) equal(o *entry) bool {
	return e.stat == o.stat && e.racy == o.racy && e.hash == o.hash && e.shadowed == o.shadowed &&
		e.skip == o.skip && e.failure == o.failure && slices.Equal(e.warnings, o.warnings) &&
		slices.Equal(e.documents, o.documents)
}
