package open

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-search/winnow"
)

// A document's id is its path below the root of its collection, with the root's
// name before it if there are several. People know files by another path, the
// one that works in the folder they are in. This file goes from one to the
// other.

// File returns the path of the file that a chunk came from, as it can be opened
// from the current folder: relative below it, absolute elsewhere. A chunk that
// came from no file is called by its document's id.
func (o *Opened) File(c *winnow.Chunk) string {
	roots := o.roots[c.Collection]
	if c.Path == "" || len(roots) == 0 {
		return c.Document
	}
	for _, root := range roots {
		for _, name := range names(root, len(roots)) {
			below, ok := strings.CutPrefix("/"+c.Path, name)
			if !ok {
				continue
			}
			path := filepath.Join(root, filepath.FromSlash(below))
			if _, err := os.Lstat(path); err != nil {
				continue
			}
			if rel, err := filepath.Rel(o.dir, path); err == nil && filepath.IsLocal(rel) {
				return rel
			}
			return path
		}
	}
	return c.Path
}

// names are what the path of a document may begin with, a slash before it: the
// name of a file; nothing for the only folder; for one of several folders the
// end of its path.
func names(root string, roots int) []string {
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		return []string{"/" + filepath.Base(root)}
	}
	if roots == 1 {
		return []string{""}
	}
	parts := strings.Split(strings.Trim(filepath.ToSlash(root), "/"), "/")
	ends := make([]string, len(parts))
	for i := range parts {
		ends[i] = "/" + strings.Join(parts[len(parts)-1-i:], "/")
	}
	return ends
}

// Read returns a document by its id, a chunk's id, or the path of its file.
func (o *Opened) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	d, err := o.Corpus.Read(ctx, q)
	if winnow.CodeOf(err) != winnow.NotFound {
		return d, err
	}
	path := q.ID
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.dir, path)
	}
	for _, collection := range o.Collections {
		roots := o.roots[collection]
		for _, root := range roots {
			below, ok := strings.CutPrefix(path, root)
			if !ok {
				continue
			}
			for _, name := range names(root, len(roots)) {
				q.ID = strings.TrimPrefix(name+filepath.ToSlash(below), "/")
				if d, err := o.Corpus.Read(ctx, q); err == nil {
					return d, nil
				}
			}
		}
	}
	return nil, err
}
