package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
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
