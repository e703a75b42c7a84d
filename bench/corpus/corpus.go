// Package corpus makes the texts that the benchmarks search: passages of about
// 100 words that behave like English (word frequencies, growth of the
// vocabulary, stop words, topics) without being anybody's text.
//
// A random sequence of words would flatter an index: no word is frequent and none
// occur together. Real text can't be handed out at a million passages. So the
// words are real or derived from real ones, their frequencies follow those of an
// encyclopedia, and each passage keeps to a topic. What was traded away is syntax,
// which none of the indexes looks at.
package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Passage is one text with its title.
type Passage struct {
	ID, Title, Text string
}

// Corpus is a generated corpus on disk. Its first n passages are the same for
// every size.
type Corpus struct {
	path string
}

// Dir is the folder for what benchmarks keep, in the user's cache folder.
func Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "winnow-bench")
	return dir, os.MkdirAll(dir, 0o755)
}

// Open returns a corpus of n passages, which is made if it is not there yet.
func Open(n int) (*Corpus, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	c := &Corpus{path: filepath.Join(dir, fmt.Sprintf("passages-v%d-%d.tsv", version, n))}
	if _, err := os.Stat(c.path); errors.Is(err, fs.ErrNotExist) {
		return c, generate(c.path, n)
	} else if err != nil {
		return nil, err
	}
	return c, nil
}

// generate writes n passages to a file that appears only when it is whole.
func generate(path string, n int) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "making-*")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err == nil {
			err = os.Rename(f.Name(), path)
		} else {
			os.Remove(f.Name())
		}
	}()
	const stride = 5000
	gens := make([]*generator, runtime.GOMAXPROCS(0))
	bufs := make([][]byte, len(gens))
	gens[0] = newGenerator(newVocabulary())
	for i := range gens[1:] {
		gens[i+1] = gens[0].fork()
	}
	for at := 0; at < n; at += stride * len(gens) {
		var wg sync.WaitGroup
		for w, g := range gens {
			wg.Go(func() {
				bufs[w] = bufs[w][:0]
				for i := at + w*stride; i < min(n, at+(w+1)*stride); i++ {
					bufs[w] = g.appendPassage(bufs[w], i)
				}
			})
		}
		wg.Wait()
		for _, b := range bufs {
			if _, err := f.Write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// Passages returns the first n passages in order.
func (c *Corpus) Passages(n int) iter.Seq2[Passage, error] {
	return func(yield func(Passage, error) bool) {
		f, err := os.Open(c.path)
		if err != nil {
			yield(Passage{}, err)
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(bufio.NewReaderSize(f, 1<<20))
		for i := 0; i < n && lines.Scan(); i++ {
			title, text, _ := bytes.Cut(lines.Bytes(), []byte{'\t'})
			if !yield(Passage{ID: fmt.Sprintf("p%07d", i), Title: string(title), Text: string(text)}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Passage{}, err)
		}
	}
}
