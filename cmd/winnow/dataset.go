package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/open"
)

// openDataset indexes the corpus of a data set and opens it, with all vectors if
// it has to be complete. A corpus that is no file in our own shape is written as
// one first: then there is one way in.
func (c *cli) openDataset(ctx context.Context, d *eval.Dataset, settings map[string]string, complete bool) (*open.Opened, error) {
	p, err := c.here(settings)
	if err != nil {
		return nil, err
	}
	return c.openCorpus(ctx, p, d, complete)
}

func (c *cli) openCorpus(ctx context.Context, p *place, d *eval.Dataset, complete bool) (_ *open.Opened, err error) {
	file := d.CorpusFile
	if file == "" {
		if d.Documents() == nil {
			return nil, usage("name the folder that holds corpus.jsonl too, or winnow eval --questions FILE --in PATH", "the data set %s has no corpus", d.Name)
		}
		if file, err = writeCorpus(filepath.Join(p.home.Dir(), "datasets"), d); err != nil {
			return nil, err
		}
	}
	return c.openComplete(ctx, p, open.Where{In: []string{file}}, d.Name, complete)
}

// openComplete opens collections and computes what vectors they lack: a
// measurement while they fill in would measure the filling.
func (c *cli) openComplete(ctx context.Context, p *place, w open.Where, name string, complete bool) (*open.Opened, error) {
	bar := c.startProgress("Indexing " + name)
	defer bar.stop()
	return p.home.Open(ctx, w, open.Options{Dir: p.dir, Config: p.config, Progress: bar.set, Complete: complete, Filling: bar.set})
}

// writeCorpus writes the documents of a data set as corpus.jsonl below dir,
// once for the same files.
func writeCorpus(dir string, d *eval.Dataset) (path string, err error) {
	files, err := checksums(d.Files)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, digest(files)[:16])
	path = filepath.Join(dir, "corpus.jsonl")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "corpus-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	for doc, err := range d.Documents() {
		if err == nil {
			err = e.Encode(doc)
		}
		if err != nil {
			return "", errors.Join(err, f.Close())
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return "", err
	}
	return path, os.Rename(f.Name(), path)
}

// checksums are those of files.
func checksums(paths []string) ([]folder.File, error) {
	out := make([]folder.File, len(paths))
	for i, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		out[i] = folder.File{Path: path, SHA256: hex.EncodeToString(sum.Sum(nil))}
	}
	return out, nil
}

// digest is the checksum of a value that is plain data.
func digest(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// loadQuestions reads questions that are asked of a collection.
func loadQuestions(path string) (*eval.Dataset, error) {
	d, err := eval.Load(path)
	if err != nil {
		return nil, err
	}
	if d.Documents() != nil {
		return nil, usage("winnow eval --data "+path, "%s brings a corpus of its own", path)
	}
	return d, nil
}

// resolve looks the gold of questions up in the collections they are asked of.
func resolve(ctx context.Context, d *eval.Dataset, s *open.Opened) error {
	ids := d.GoldIDs()
	if len(ids) == 0 {
		return nil
	}
	if len(s.Collections) > 1 {
		names, err := qualified(ctx, s, ids)
		if err != nil {
			return err
		}
		d.Rename(names)
		ids = d.GoldIDs()
	}
	if err := d.Resolve(named(ctx, s, ids)); err != nil {
		return err
	}
	if len(d.Tasks) == 0 {
		return &winnow.Error{Code: winnow.BadInput, Message: "none of the questions in " + d.Name + " can be scored: their gold is not in " + strings.Join(s.Collections, ", "),
			Hint: "the first is " + d.Problems[0].Error()}
	}
	return nil
}

// qualified are the ids under which several collections speak of documents.
func qualified(ctx context.Context, c winnow.Corpus, ids []string) (map[string]string, error) {
	names := map[string]string{}
	for _, id := range ids {
		doc, err := c.Read(ctx, winnow.ReadQuery{ID: id})
		if winnow.CodeOf(err) == winnow.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(doc.Chunks) > 0 && doc.ID == id {
			names[id] = winnow.QualifiedID(doc.Chunks[0].Collection, id)
		}
	}
	return names, nil
}

// named yields those documents of these names that are there. Nothing else of a
// collection has to be read to settle what questions need to know of it.
func named(ctx context.Context, c winnow.Corpus, ids []string) iter.Seq2[eval.Document, error] {
	return func(yield func(eval.Document, error) bool) {
		yield(eval.Document{}, nil) // a corpus in which nothing is found is not empty
		for _, id := range ids {
			doc, err := c.Read(ctx, winnow.ReadQuery{ID: id})
			if winnow.CodeOf(err) == winnow.NotFound {
				continue
			}
			if err != nil {
				yield(eval.Document{}, err)
				return
			}
			name := doc.ID
			if len(doc.Chunks) > 0 && id == winnow.QualifiedID(doc.Chunks[0].Collection, doc.ID) {
				name = id
			}
			if !yield(eval.Document{ID: name, Title: doc.Title, Text: doc.Text()}, nil) {
				return
			}
		}
	}
}
