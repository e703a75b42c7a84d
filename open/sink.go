package open

import (
	"context"
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/ingest"
)

// tableBlob is the name under which the table of files lies in an index.
const tableBlob = "files"

// tableOf returns the table of the files that a generation was made from, nil
// if there is none. A damaged one is an error: without it nobody knows which
// documents have lost their files.
func tableOf(s *index.Snapshot) (*ingest.Table, error) {
	data, err := s.Blob(tableBlob)
	if err != nil || data == nil {
		return nil, err
	}
	t := &ingest.Table{}
	return t, t.UnmarshalBinary(data)
}

// sink writes to an index, with a writer that is made when there is something
// to write: an unchanged folder costs none.
type sink struct {
	ix        *index.Index
	name      string
	documents int // at the start
	w         *index.Writer
	put       int
	deleted   int
}

func (s *sink) writer() (*index.Writer, error) {
	if s.w == nil {
		w, err := s.ix.Writer()
		if err != nil {
			return nil, err
		}
		s.w = w
	}
	return s.w, nil
}

func (s *sink) Put(ctx context.Context, d *winnow.Document) error {
	w, err := s.writer()
	if err != nil {
		return err
	}
	s.put++
	return w.Put(ctx, d)
}

func (s *sink) Delete(ctx context.Context, id string) error {
	w, err := s.writer()
	if err != nil {
		return err
	}
	s.deleted++
	return w.Delete(ctx, id)
}

// Commit refuses to empty an index: a disk that is not mounted looks like a
// folder from which everything was deleted.
func (s *sink) Commit(ctx context.Context, t *ingest.Table) error {
	w, err := s.writer()
	if err != nil {
		return err
	}
	if s.documents > 0 && s.put == 0 && s.deleted >= s.documents {
		return &winnow.Error{Code: winnow.NotFound,
			Message: fmt.Sprintf("%s is empty now, and its %d documents are kept", s.name, s.documents),
			Hint:    "winnow rm " + s.name + " if they are meant to be gone"}
	}
	data, err := t.MarshalBinary()
	if err != nil {
		return err
	}
	w.SetBlob(tableBlob, data)
	return w.Commit(ctx)
}

func (s *sink) close() error {
	if s.w == nil {
		return nil
	}
	return s.w.Close()
}
