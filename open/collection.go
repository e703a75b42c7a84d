package open

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/index/segment"
)

// Collection is a named corpus on disk.
type Collection struct {
	// Name is what people call it: its own name, or the real path of its folder.
	Name string
	// Err is why a collection of [Home.Collections] can't be used.
	Err error

	dir    string
	record record
}

// record is what a collection knows about itself. Replacing the file makes
// another index the one that serves: that is how a rebuild becomes visible.
type record struct {
	// Version is that of this file's shape.
	Version int `json:"version"`
	// Name is empty for the collection of a path.
	Name string `json:"name,omitempty"`
	// Description is what its maker says of it.
	Description string `json:"description,omitempty"`
	// Roots are the real paths that the documents come from. A collection
	// without roots is filled by content: it can't be made again from files.
	Roots []string `json:"roots,omitempty"`
	// Index is the folder of the serving index, beside this file.
	Index string `json:"index"`
	// Made are the versions that made the index.
	Made    versions  `json:"made"`
	Created time.Time `json:"created"`
}

const (
	recordVersion = 1
	recordName    = "collection.json"
)

// load reads the record; that there is none yet is no error.
func (c *Collection) load() error {
	data, err := os.ReadFile(filepath.Join(c.dir, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r := c.record
	if err := json.Unmarshal(data, &r); err != nil {
		return &winnow.Error{Code: winnow.Corrupt, Message: "the record of the collection in " + c.dir + " can't be read",
			Hint: "remove that folder and index again", Err: err}
	}
	if r.Version > recordVersion {
		return &winnow.Error{Code: winnow.TooNew,
			Message: fmt.Sprintf("the collection in %s was written by a newer winnow", c.dir), Hint: "use that newer winnow"}
	}
	c.record = r
	return nil
}

func (c *Collection) save() error {
	c.record.Version = recordVersion
	data, err := json.MarshalIndent(c.record, "", " ")
	if err != nil {
		return err
	}
	return segment.WriteFile(filepath.Join(c.dir, recordName), append(data, '\n'))
}

// Exists reports whether the collection has been indexed, or is being.
func (c *Collection) Exists() bool { return c.record.Index != "" }

// Roots are the real paths that the documents come from.
func (c *Collection) Roots() []string { return c.record.Roots }

// Kind of a collection: what it is made of, and so what losing it would mean.
type Kind string

const (
	KindFolder  Kind = "folder"  // a cache of a path
	KindFiles   Kind = "files"   // named, made from paths
	KindContent Kind = "content" // named, filled by content: user data
)

// Kind of the collection.
func (c *Collection) Kind() Kind {
	switch {
	case c.record.Name == "":
		return KindFolder
	case len(c.record.Roots) > 0:
		return KindFiles
	}
	return KindContent
}

// reopenings bounds how often an index that a rebuild has just removed is
// looked for again.
const reopenings = 10

// openIndex opens the serving index.
func (c *Collection) openIndex() (*index.Index, error) {
	for try := 0; ; try++ {
		ix, err := index.Open(filepath.Join(c.dir, c.record.Index))
		if err == nil || !errors.Is(err, fs.ErrNotExist) || try == reopenings {
			return ix, err
		}
		if err := c.load(); err != nil {
			return nil, err
		}
	}
}

// Corpus pins the newest generation. Warnings say what is old about it.
func (c *Collection) Corpus(m *Models) (corpus *local.Corpus, warnings []string, err error) {
	ix, err := c.openIndex()
	if err != nil {
		return nil, nil, err
	}
	defer ix.Close()
	return c.corpusOf(ix, m)
}

func (c *Collection) corpusOf(ix *index.Index, m *Models) (corpus *local.Corpus, warnings []string, err error) {
	options := m.options
	options.Collection = c.Name
	corpus, err = local.Open(ix, options)
	if err != nil {
		return nil, nil, err
	}
	return corpus, c.outdated(), nil
}

// Remove deletes the collection. Who has it open keeps what was opened.
func (c *Collection) Remove() error {
	unlock, err := lock(c.dir)
	if err != nil {
		return err
	}
	defer unlock()
	// Renamed first, so that a crash leaves no collection with half its files.
	gone, err := os.MkdirTemp(filepath.Dir(c.dir), ".removed-")
	if err != nil {
		return err
	}
	if err := os.Rename(c.dir, filepath.Join(gone, "collection")); err != nil {
		return errors.Join(err, os.Remove(gone))
	}
	return os.RemoveAll(gone)
}
