package open

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// Creation is what a collection that is filled by content begins with.
type Creation struct {
	// Description tells people and models what is in it.
	Description string
	// Language of stems and stop words; "" is English.
	Language string
}

// Create makes an empty collection that is filled by content.
func (h Home) Create(name string, o Creation) (*Collection, error) {
	c, err := h.Named(name)
	if err != nil {
		return nil, err
	}
	if !c.Exists() {
		if err := os.MkdirAll(c.dir, 0o700); err != nil { // the documents may be private
			return nil, err
		}
		unlock, err := lock(c.dir)
		if err != nil {
			return nil, err
		}
		defer unlock()
		if err := c.load(); err != nil { // another may have made it until we had the lock
			return nil, err
		}
	}
	if c.Exists() {
		return nil, &winnow.Error{Code: winnow.Exists, Message: fmt.Sprintf("there is a collection %q already", name), Hint: "another name, or remove that one first"}
	}
	c.record.Description = o.Description
	b, err := c.build(true, o.Language)
	if err != nil {
		os.RemoveAll(c.dir) // nothing came of it
		return nil, err
	}
	return c, b.ix.Close()
}

// Description is what its maker said of the collection.
func (c *Collection) Description() string { return c.record.Description }

// Write puts documents into a collection that is filled by content and removes
// others, all at once or not at all. It fails with [winnow.Locked] while another
// process writes.
func (c *Collection) Write(ctx context.Context, put []*winnow.Document, remove []string, m *Models) (err error) {
	if c.Kind() != KindContent {
		return &winnow.Error{Code: winnow.BadInput, Message: c.Name + " is made from files and follows them", Hint: "change the files, or use a collection that was created empty"}
	}
	unlock, err := lock(c.dir)
	if err != nil {
		return err
	}
	defer unlock()
	ix, err := c.openIndex()
	if err != nil {
		return err
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, id := range remove {
		if err := w.Delete(ctx, id); err != nil {
			return err
		}
	}
	for _, d := range put {
		if err := w.Put(ctx, d); err != nil {
			return err
		}
	}
	if err := w.Commit(ctx); err != nil || m == nil || m.fast == nil {
		return err
	}
	return ix.Fill(ctx, m.fast, index.FillOptions{})
}
