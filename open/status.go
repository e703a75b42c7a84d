package open

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/ingest"
)

// with calls fn with the newest generation.
func (c *Collection) with(fn func(*index.Snapshot) error) error {
	ix, err := c.openIndex()
	if err != nil {
		return err
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	return fn(s)
}

// Info describes the newest generation.
func (c *Collection) Info() (info index.Info, err error) {
	err = c.with(func(s *index.Snapshot) error {
		info = s.Info()
		return nil
	})
	return info, err
}

// Report is what is known of the files that the documents came from.
func (c *Collection) Report() (r ingest.Report, err error) {
	err = c.with(func(s *index.Snapshot) error {
		t, err := tableOf(s)
		if t != nil {
			r = t.Report()
		}
		return err
	})
	return r, err
}

// Check verifies every checksum.
func (c *Collection) Check(ctx context.Context) error {
	return c.with(func(s *index.Snapshot) error { return s.Check(ctx) })
}

// CheckLanguage fails if the collection was made with another language than the
// one that is wanted; "" wants none.
func (c *Collection) CheckLanguage(want string) error {
	if want == "" || !c.Exists() {
		return nil
	}
	info, err := c.Info()
	if err != nil || info.Language == want {
		return err
	}
	return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s was indexed as %s, not %s", c.Name, info.Language, want),
		Hint: "index it again with --rebuild"}
}

// Pending says what an update would have to do.
func (c *Collection) Pending(ctx context.Context) (work []string, err error) {
	if c.Outdated() {
		work = append(work, "was made by an older version")
	}
	if len(c.record.Roots) == 0 {
		return work, nil
	}
	_, err = c.probe(ctx, 0)
	switch {
	case errors.Is(err, errChanged):
		return append(work, "files have changed"), nil
	case winnow.CodeOf(err) == winnow.NotFound:
		return append(work, "its files are gone"), nil
	}
	return work, err
}

// probe looks at the files and returns their table if nothing has changed since
// it was made, and errChanged at the first thing that has.
func (c *Collection) probe(ctx context.Context, maxFiles int) (t *ingest.Table, err error) {
	err = c.with(func(s *index.Snapshot) error {
		if t, err = tableOf(s); err != nil {
			return err
		}
		_, err = ingest.Sync(ctx, ingest.Options{Roots: c.record.Roots, MaxFiles: maxFiles}, t, unwilling{})
		return err
	})
	return t, err
}

var errChanged = errors.New("the files have changed")

// unwilling is a sink that ends a sync at its first wish to write.
type unwilling struct{}

func (unwilling) Put(context.Context, *winnow.Document) error { return errChanged }
func (unwilling) Delete(context.Context, string) error        { return errChanged }
func (unwilling) Commit(context.Context, *ingest.Table) error { return errChanged }
