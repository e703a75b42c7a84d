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
	"os"
	"path/filepath"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/open"
)

// openDataset indexes the corpus of a data set and opens it, with all vectors if
// it has to be complete. A corpus that is
// no file in our own shape is written as one first: then there is one way in.
func (c *cli) openDataset(ctx context.Context, d *eval.Dataset, settings map[string]string, complete bool) (*open.Opened, error) {
	p, err := c.here(settings)
	if err != nil {
		return nil, err
	}
	file := d.CorpusFile
	if file == "" {
		if d.Documents() == nil {
			return nil, usage("name the folder that holds corpus.jsonl too", "the data set %s has no corpus", d.Name)
		}
		if file, err = writeCorpus(filepath.Join(p.home.Dir(), "datasets"), d); err != nil {
			return nil, err
		}
	}
	bar := c.startProgress("Indexing " + d.Name)
	defer bar.stop()
	o := open.Options{Dir: p.dir, Config: p.config, Progress: bar.set, Complete: complete, Filling: bar.set}
	return p.home.Open(ctx, open.Where{In: []string{file}}, o)
}

// writeCorpus writes the documents of a data set as corpus.jsonl below dir,
// once for the same files.
func writeCorpus(dir string, d *eval.Dataset) (path string, err error) {
	sum := sha256.New()
	for _, name := range d.Files {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	dir = filepath.Join(dir, hex.EncodeToString(sum.Sum(nil)[:8]))
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
