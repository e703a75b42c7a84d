package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/ingest"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/wire"
)

// Collections lists what can be reached, the default ones first, each with its
// size and health.
func (d *Desk) Collections(ctx context.Context) (wire.Collections, error) {
	out := wire.Collections{Collections: []wire.Collection{}}
	names, err := d.shelf.names()
	if err != nil {
		return out, err
	}
	for _, name := range names {
		c := d.describe(ctx, name)
		c.Default = slices.Contains(d.shelf.first, name)
		out.Collections = append(out.Collections, c)
	}
	return out, nil
}

// Collection describes one.
func (d *Desk) Collection(ctx context.Context, name string) (wire.Collection, error) {
	if d.shelf.folder(name) == nil && !d.shelf.remote[name] {
		if _, err := d.shelf.find(name); err != nil {
			return wire.Collection{}, err
		}
	}
	c := d.describe(ctx, name)
	c.Default = slices.Contains(d.shelf.first, name)
	return c, nil
}

func (d *Desk) describe(ctx context.Context, name string) wire.Collection {
	out := wire.Collection{Collection: name, Kind: string(open.KindFolder), Roots: []string{}, Vectors: map[string]float64{}, State: wire.CollectionReady}
	if d.shelf.remote[name] {
		return d.describeRemote(ctx, out)
	}
	f := d.shelf.folder(name)
	if f != nil && !f.isSettled() {
		out.State, out.Description = wire.CollectionIndexing, f.progress()
	}
	c, err := d.shelf.find(name)
	if err != nil {
		if f != nil && out.State == wire.CollectionReady {
			out.State, out.Error = wire.CollectionBroken, f.why().Error()
		}
		return out
	}
	out.Kind, out.Roots = string(c.Kind()), append(out.Roots, c.Roots()...)
	info, err := d.keeper.Info(c)
	if err != nil {
		out.State, out.Error = wire.CollectionBroken, err.Error()
		return out
	}
	out.Documents, out.Chunks, out.Updated, out.Language = info.Documents, info.Chunks, info.Updated, info.Language
	out.Bytes, out.DiskBytes = info.TextBytes, info.DiskBytes
	for space, share := range info.Vectors {
		out.Vectors[space] = share
	}
	if out.State == wire.CollectionReady {
		out.Description = d.description(ctx, c, info.Updated)
	}
	return out
}

const (
	// kindChroma is the kind of a collection on a Chroma server.
	kindChroma = "chroma"
	// describeTime is how long a server may take to say what it holds.
	describeTime = 5 * time.Second
)

// describeRemote asks the server of a collection.
func (d *Desk) describeRemote(ctx context.Context, out wire.Collection) wire.Collection {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	out.Kind, out.Description = kindChroma, "a collection on a Chroma server"
	o, err := d.keeper.OpenWith(ctx, []string{out.Collection})
	if err != nil {
		out.State, out.Error = wire.CollectionBroken, err.Error()
		return out
	}
	defer o.Close()
	about, err := o.Describe(ctx)
	if err != nil {
		out.State, out.Error = wire.CollectionBroken, err.Error()
		return out
	}
	out.Documents, out.Chunks = about.Documents, about.Chunks
	return out
}

// described is a description in figures, which holds until the collection
// changes: a large one takes a while to count.
type described struct {
	updated time.Time
	text    string
}

// description is what the maker said of a collection, or what its facets say.
func (d *Desk) description(ctx context.Context, c *open.Collection, updated time.Time) string {
	if text := c.Description(); text != "" {
		return text
	}
	if known, ok := d.descriptions.Load(c.Name); ok && known.(described).updated.Equal(updated) {
		return known.(described).text
	}
	o, err := d.keeper.Open(c)
	if err != nil {
		return ""
	}
	defer o.Close()
	about, err := o.Describe(ctx)
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("%d documents", about.Documents)
	if folders := facets(about.Folders, 6); folders != "" {
		text += "; folders: " + folders
	}
	for _, key := range about.Keys {
		if key.Key == "type" {
			text += "; types: " + facets(key.Values, 6)
		}
	}
	d.descriptions.Store(c.Name, described{updated, text})
	return text
}

func facets(list []winnow.Facet, n int) string {
	var names []string
	for _, f := range list[:min(n, len(list))] {
		if name := fmt.Sprint(f.Value); name != "." {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Create makes an empty collection.
func (d *Desk) Create(ctx context.Context, q *wire.CollectionRequest) (wire.Collection, error) {
	if len(q.Description) > 2000 {
		return wire.Collection{}, bad("a sentence or two", "the description is longer than 2000 bytes")
	}
	c, err := d.options.Home.Create(q.Name, open.Creation{Description: q.Description, Language: q.Language})
	if err != nil {
		return wire.Collection{}, err
	}
	d.shelf.admit(c.Name)
	return d.Collection(ctx, c.Name)
}

// named returns a collection with a name of its own; a folder can't be changed
// from here.
func (d *Desk) named(name string) (*open.Collection, error) {
	c, err := d.shelf.find(name)
	if err != nil {
		return nil, err
	}
	if c.Kind() == open.KindFolder {
		return nil, bad("change the files in it", "%s is a folder and follows its files", name)
	}
	return c, nil
}

// Delete removes a collection.
func (d *Desk) Delete(name string) error {
	c, err := d.named(name)
	if err != nil {
		return err
	}
	if slices.Contains(d.shelf.first, name) {
		return bad("stop the server first", "the server was started to search %s", name)
	}
	if err := c.Remove(); err != nil {
		return err
	}
	d.keeper.Forget(c)
	return nil
}

// Write puts documents into a collection and removes others, all at once.
func (d *Desk) Write(ctx context.Context, name string, q *wire.DocumentsRequest) (wire.Written, error) {
	c, err := d.named(name)
	if err != nil {
		return wire.Written{}, err
	}
	if len(q.Documents)+len(q.Delete) == 0 {
		return wire.Written{}, bad(`documents: [{"id": "a", "text": "…"}]`, "the request holds nothing to write")
	}
	docs := make([]*winnow.Document, len(q.Documents))
	seen := map[string]bool{}
	for i := range q.Documents {
		of := &q.Documents[i]
		if err := checkDocument(of, i); err != nil {
			return wire.Written{}, err
		}
		if seen[of.ID] {
			return wire.Written{}, bad("ids that differ", "document %d has the id of another: %q", i, of.ID)
		}
		seen[of.ID] = true
		docs[i] = ingest.New(of.ID, of.Title, of.Text, of.Metadata)
	}
	d.shelf.writing.Lock()
	err = c.Write(ctx, docs, q.Delete, d.keeper.Models())
	d.shelf.writing.Unlock()
	if err != nil {
		return wire.Written{}, err
	}
	d.shelf.lacks(name)
	return wire.Written{Put: len(docs), Deleted: len(q.Delete)}, nil
}

const maxID = 1024 // bytes

func checkDocument(n *wire.NewDocument, i int) error {
	if n.ID == "" || len(n.ID) > maxID {
		return bad(`id: "a"`, "document %d wants an id of 1 to %d bytes", i, maxID)
	}
	if strings.ContainsFunc(n.ID, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return bad("an id that can be printed", "the id of document %d holds a control character", i)
	}
	if strings.TrimSpace(n.Text) == "" {
		return bad("text: \"…\"", "document %q has no text", n.ID)
	}
	for key, v := range n.Metadata {
		value, ok := scalar(v)
		if !ok {
			return bad("strings, numbers and booleans", "the metadata %q of document %q is no scalar", key, n.ID)
		}
		n.Metadata[key] = value
	}
	return nil
}

// scalar is a value as it is stored.
func scalar(v any) (any, bool) {
	switch v := v.(type) {
	case string, bool, int64:
		return v, true
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, true
		}
		f, err := v.Float64()
		return f, err == nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), true
		}
		return v, true
	}
	return nil, false
}

// File is the path of a document's file as it can be opened from the current
// folder; its id where it came from none.
func (d *Desk) File(collection, document, path string) string {
	c, err := d.shelf.find(collection)
	if err != nil {
		return cmp.Or(path, document)
	}
	return d.keeper.File(c, &winnow.Chunk{Collection: collection, Document: document, Path: path})
}
