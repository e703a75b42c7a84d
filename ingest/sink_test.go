package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// memory is a sink that keeps what it is given, and what it had at the last
// commit.
type memory struct {
	documents map[string]*winnow.Document
	log       []string // "put id", "delete id", "commit"
	table     []byte   // as committed
	committed map[string]*winnow.Document
	failAfter int // calls until it fails, 0 for never
}

var errSink = errors.New("the disk is full")

func newMemory() *memory {
	return &memory{documents: map[string]*winnow.Document{}}
}

func (m *memory) call(entry string) error {
	if m.failAfter > 0 {
		if m.failAfter--; m.failAfter == 0 {
			return errSink
		}
	}
	m.log = append(m.log, entry)
	return nil
}

func (m *memory) Put(_ context.Context, d *winnow.Document) error {
	m.documents[d.ID] = d
	return m.call("put " + d.ID)
}

func (m *memory) Delete(_ context.Context, id string) error {
	delete(m.documents, id)
	return m.call("delete " + id)
}

func (m *memory) Commit(_ context.Context, t *Table) error {
	var err error
	if m.table, err = t.MarshalBinary(); err != nil {
		return err
	}
	m.committed = map[string]*winnow.Document{}
	for id, d := range m.documents {
		m.committed[id] = d
	}
	return m.call("commit")
}

// texts are the documents' texts by id.
func (m *memory) texts() map[string]string {
	out := map[string]string{}
	for id, d := range m.documents {
		out[id] = d.Text()
	}
	return out
}

// takeLog returns what was called since the last time.
func (m *memory) takeLog() []string {
	log := m.log
	m.log = nil
	return log
}

// write writes files below a folder; a name that ends with a slash is a folder.
func write(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// collection is a sink with the state between syncs.
type collection struct {
	*memory
	t     *testing.T
	opts  Options
	table *Table
}

func newCollection(t *testing.T, roots ...string) *collection {
	return &collection{memory: newMemory(), t: t, opts: Options{Roots: roots}}
}

// sync syncs and returns what the sink was told.
func (c *collection) sync() []string {
	c.t.Helper()
	r, err := Sync(c.t.Context(), c.opts, c.table, c.memory)
	if err != nil {
		c.t.Fatal(err)
	}
	c.table = r.Table
	for _, d := range c.documents {
		check(c.t, d)
	}
	return c.takeLog()
}

func (c *collection) expect(want ...string) {
	c.t.Helper()
	if got := c.sync(); !slices.Equal(got, want) {
		c.t.Fatalf("the sink was told %q, want %q", got, want)
	}
}
