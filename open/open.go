// Package open is the wiring room: names, paths and settings go in, and what
// they stand for comes out, opened.
//
// Everything that knows where state lies, how the configuration is layered and
// which part is plugged into which is here, so that commands, the server and
// the evaluation open the same thing by the same name. The rooms below know
// nothing of it.
package open

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/index"
)

// Where says what to search.
type Where struct {
	// In are paths of folders or files: indexed when they are first met, and
	// brought up to date whenever they are searched.
	In []string
	// Collections are names, searched as they are, and addresses of Chroma
	// collections, which are followed first.
	Collections []string
}

// Options of opening.
type Options struct {
	// Dir is the current folder: what is searched if nothing else is said.
	Dir string
	// Config is the configuration that holds there.
	Config *Config
	// Progress is told how many files of how many are indexed; a total of 0 is
	// not known yet. It may be nil.
	Progress func(done, total int)
	// Complete computes all vectors before anything is searched, and tells
	// Filling how many of how many chunks have them.
	Complete bool
	Filling  func(done, total int)
}

// Opened is what a command searches: one or more collections as one corpus.
type Opened struct {
	winnow.Corpus
	// Collections are the names, in order.
	Collections []string
	// Warnings say what is not as it should be and how to mend it.
	Warnings []string

	members   []corpus.Member
	engines   []engine
	home      Home
	dir       string // the real path of Options.Dir
	languages map[string]string
	roots     map[string][]string
}

// Language is that of a collection's stems.
func (o *Opened) Language(collection string) string { return o.languages[collection] }

// Coverage is the share of chunks that have vectors of the best tier.
func (o *Opened) Coverage() float64 {
	covered, all := 0.0, 0.0
	for _, c := range o.engines {
		n := float64(c.Info().Chunks)
		covered += n * c.Coverage()
		all += n
	}
	if all == 0 {
		return 0
	}
	return covered / all
}

// engine is a corpus whose index lies here, and so can tell how it searches.
type engine interface {
	winnow.Corpus
	Info() index.Info
	Coverage() float64
	Space() string
	Candidates(context.Context, winnow.Query) ([]winnow.Hit, error)
	Why(context.Context, winnow.Query, string) (*index.Why, error)
}

// errElsewhere is the answer about a search that a server makes.
var errElsewhere = &winnow.Error{Code: winnow.BadInput, Message: "these collections are searched by their server, which does not say how",
	Hint: "chroma.mode: companion in winnow.yaml searches them here"}

// Space is that of the vectors in use, "" without any.
func (o *Opened) Space() string {
	if len(o.engines) == 0 {
		return ""
	}
	return o.engines[0].Space()
}

// Candidates returns all candidates of a query in the first collection.
func (o *Opened) Candidates(ctx context.Context, q winnow.Query) ([]winnow.Hit, error) {
	if len(o.engines) == 0 {
		return nil, errElsewhere
	}
	return o.engines[0].Candidates(ctx, q)
}

// Ranked is the first collection with another ranker; nil if its index does not
// lie here.
func (o *Opened) Ranked(r index.Ranker) winnow.Corpus {
	if len(o.engines) > 0 {
		if c, ok := o.engines[0].(*local.Corpus); ok {
			return c.Ranked(r)
		}
	}
	return nil
}

// Why follows a document through a search of the collection that holds it.
func (o *Opened) Why(ctx context.Context, q winnow.Query, name string) (*index.Why, error) {
	id := name
	if doc, err := o.Read(ctx, winnow.ReadQuery{ID: name}); err == nil {
		id = doc.ID
	}
	if len(o.engines) == 0 {
		return nil, errElsewhere
	}
	var why *index.Why
	for _, c := range o.engines {
		w, err := c.Why(ctx, q, id)
		if err != nil {
			return nil, err
		}
		if why == nil || why.Stage == index.StageNotIndexed {
			why = w
		}
	}
	return why, nil
}

// Open opens what where says; nothing said means the configured collections,
// else the current folder.
func (h Home) Open(ctx context.Context, where Where, o Options) (*Opened, error) {
	dir, err := realPath(o.Dir)
	if err != nil {
		return nil, err
	}
	maxFiles := 0
	if len(where.In)+len(where.Collections) == 0 {
		if where, maxFiles, err = fallback(dir, o.Config); err != nil {
			return nil, err
		}
	}
	models, err := h.Models(o.Config)
	if err != nil {
		return nil, err
	}
	out := newOpened(h, dir)
	var collections []*Collection
	for _, path := range where.In {
		c, err := h.Folder(path)
		if err != nil {
			return nil, err
		}
		if err := out.refresh(ctx, c, maxFiles, models, o); err != nil {
			return nil, err
		}
		collections = append(collections, c)
	}
	var addresses []string
	for _, name := range where.Collections {
		if chroma.IsAddress(name) {
			addresses = append(addresses, name)
			continue
		}
		c, err := h.Find(name)
		if err != nil {
			return nil, err
		}
		collections = append(collections, c)
	}
	if o.Complete {
		for _, c := range collections {
			if err := c.Fill(ctx, models, o.Filling); err != nil {
				return nil, err
			}
		}
	}
	if err := out.pin(collections, func(c *Collection) (*local.Corpus, []string, error) { return c.Corpus(models) }); err != nil {
		return nil, err
	}
	for _, address := range addresses {
		if err := h.openChroma(ctx, out, address, models, o); err != nil {
			out.close()
			return nil, err
		}
	}
	return out, nil
}

func newOpened(home Home, dir string) *Opened {
	return &Opened{Warnings: []string{}, home: home, dir: dir, languages: map[string]string{}, roots: map[string][]string{}}
}

// pin opens the collections, each once, as one corpus.
func (o *Opened) pin(collections []*Collection, open func(*Collection) (*local.Corpus, []string, error)) error {
	for _, c := range collections {
		if slices.Contains(o.Collections, c.Name) {
			continue
		}
		opened, warnings, err := open(c)
		if err != nil {
			o.close()
			return err
		}
		o.add(c.Name, opened, warnings)
		o.roots[c.Name] = c.Roots()
	}
	return nil
}

// add takes a corpus in.
func (o *Opened) add(name string, c winnow.Corpus, warnings []string) {
	if e, ok := c.(engine); ok {
		o.engines = append(o.engines, e)
		o.languages[name] = e.Info().Language
	}
	o.members = append(o.members, corpus.Member{Name: name, Corpus: c})
	o.Collections = append(o.Collections, name)
	o.Warnings = append(o.Warnings, warnings...)
	o.Corpus = corpus.Join(o.members...)
}

// close closes what was taken in before something failed.
func (o *Opened) close() {
	for _, m := range o.members {
		m.Corpus.Close()
	}
}

// refresh brings the collection of a path up to date. Where that can't be done,
// because another process is at it or for any other reason, what was indexed
// before is searched with a warning.
func (o *Opened) refresh(ctx context.Context, c *Collection, maxFiles int, models *Models, options Options) error {
	if c.Outdated() { // which pinning it warns of
		return nil
	}
	if c.Exists() { // it was asked for once
		maxFiles = 0
	}
	language := options.Config.Language
	_, err := c.Update(ctx, UpdateOptions{Language: language, MaxFiles: maxFiles, Models: models, Progress: options.Progress})
	if err == nil {
		if err := c.CheckLanguage(language); err != nil {
			o.Warnings = append(o.Warnings, advice(err))
		}
		return nil
	}
	if info, e := c.Info(); ctx.Err() != nil || e != nil || info.Documents == 0 {
		return err
	}
	o.Warnings = append(o.Warnings, c.Name+" is searched as it was last indexed: "+advice(err))
	return nil
}

// advice is an error as a warning, with its hint.
func advice(err error) string {
	var e *winnow.Error
	if errors.As(err, &e) && e.Hint != "" {
		return err.Error() + "; try: " + e.Hint
	}
	return err.Error()
}

// largeTree is the number of files from which a folder is searched only if it
// is asked for by name.
const largeTree = 100_000

// fallback is what is searched where nothing is said.
func fallback(dir string, config *Config) (where Where, maxFiles int, err error) {
	if len(config.Collections) > 0 {
		for _, c := range config.Collections {
			if filepath.IsAbs(c) {
				where.In = append(where.In, c)
			} else {
				where.Collections = append(where.Collections, c)
			}
		}
		return where, 0, nil
	}
	what := ""
	if dir == filepath.Dir(dir) {
		what = "the root of the disk"
	} else if home, err := os.UserHomeDir(); err == nil {
		if home, err = realPath(home); err == nil && dir == home {
			what = "your home folder"
		}
	}
	if what != "" {
		return where, 0, &winnow.Error{Code: winnow.BadInput, Message: "the current folder is " + what + ", which is not searched unless asked for",
			Hint: "--in . if you mean it, or --in with a smaller folder"}
	}
	return Where{In: []string{dir}}, largeTree, nil
}
