package open

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/index"
)

// Keeper opens collections for a process that answers many questions. It loads
// the models once and keeps the indexes open, so that opening a collection again
// costs a look at its manifest: what is pinned is the newest generation, and the
// segments that it shares with the last one stay mapped and verified.
type Keeper struct {
	home   Home
	config *Config
	dir    string
	models *Models

	mu      sync.Mutex
	indexes map[string]*index.Index // by the collection's folder
	remotes map[string]*remote      // by address
}

// Keep returns a keeper with the models the configuration asks for; dir is the
// folder from which files are named. The caller closes it.
func (h Home) Keep(dir string, c *Config) (*Keeper, error) {
	dir, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	models, err := h.Models(c)
	if err != nil {
		return nil, err
	}
	return &Keeper{home: h, config: c, dir: dir, models: models, indexes: map[string]*index.Index{}, remotes: map[string]*remote{}}, nil
}

// Models are those that the collections are opened with.
func (k *Keeper) Models() *Models { return k.models }

// Open pins the newest generation of each collection, as they are: nothing is
// brought up to date.
func (k *Keeper) Open(collections ...*Collection) (*Opened, error) {
	return k.OpenWith(context.Background(), nil, collections...)
}

// OpenWith opens collections and, behind them, those at addresses of Chroma
// servers, which are followed first.
func (k *Keeper) OpenWith(ctx context.Context, addresses []string, collections ...*Collection) (*Opened, error) {
	out := newOpened(k.home, k.dir)
	if err := out.pin(collections, k.corpus); err != nil {
		return nil, err
	}
	for _, a := range addresses {
		c, warnings, err := k.remote(ctx, a)
		if err != nil {
			out.close()
			return nil, err
		}
		out.add(a, c, warnings)
	}
	return out, nil
}

// Address is the one name of a collection on a Chroma server; "" where the name
// is no address.
func Address(name string) (string, error) {
	if !chroma.IsAddress(name) {
		return "", nil
	}
	a, err := chroma.ParseAddress(name)
	return a.String(), err
}

// Info describes the newest generation of a collection.
func (k *Keeper) Info(c *Collection) (index.Info, error) {
	ix, err := k.index(c)
	if err != nil {
		return index.Info{}, err
	}
	s, err := ix.Snapshot()
	if err != nil {
		return index.Info{}, err
	}
	defer s.Close()
	return s.Info(), nil
}

func (k *Keeper) corpus(c *Collection) (*local.Corpus, []string, error) {
	ix, err := k.index(c)
	if err != nil {
		return nil, nil, err
	}
	return c.corpusOf(ix, k.models)
}

// index is the serving index of a collection. A rebuild puts another in its
// place.
func (k *Keeper) index(c *Collection) (*index.Index, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	old := k.indexes[c.dir]
	if old != nil && old.Dir() == filepath.Join(c.dir, c.record.Index) {
		return old, nil
	}
	ix, err := c.openIndex()
	if err != nil {
		return nil, err
	}
	if old != nil {
		old.Close()
	}
	k.indexes[c.dir] = ix
	return ix, nil
}

// Forget closes what is kept of a collection. What was opened stays usable.
func (k *Keeper) Forget(c *Collection) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ix := k.indexes[c.dir]; ix != nil {
		ix.Close()
		delete(k.indexes, c.dir)
	}
}

// Close closes what is kept. What was opened stays usable until it is closed
// itself.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, ix := range k.indexes {
		errs = append(errs, ix.Close())
	}
	for _, r := range k.remotes {
		errs = append(errs, r.close())
	}
	clear(k.indexes)
	clear(k.remotes)
	return errors.Join(errs...)
}

// FillBehind is [Collection.Fill] for a process that has better to do: wait is
// called before every few texts, and may take its time. It fails with
// [winnow.Locked] while another process fills the collection in the same way:
// four assistants that watch a folder must not embed it four times.
func (c *Collection) FillBehind(ctx context.Context, m *Models, wait func(context.Context) error) error {
	if m.best == nil || c.Outdated() {
		return nil
	}
	unlock, err := lockAt(filepath.Join(c.dir, fillingName))
	if err != nil {
		return err
	}
	defer unlock()
	p := *m
	p.best = patient{m.best, wait}
	return c.Fill(ctx, &p, nil)
}

const fillingName = "filling"

type patient struct {
	winnow.Embedder
	wait func(context.Context) error
}

// patientTexts are what is embedded between two waits: about a tenth of a second
// of one core, which is what a question that comes meanwhile may lose.
const patientTexts = 4

func (p patient) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	out := make([][]winnow.Vector, 0, len(texts))
	for len(texts) > 0 {
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
		n := min(patientTexts, len(texts))
		vs, err := p.Embedder.Embed(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		out, texts = append(out, vs...), texts[n:]
	}
	return out, nil
}

// Or is the place itself, or where it names none, what is searched then: the
// configured collections, else the current folder, of which no more files are
// taken than maxFiles.
func (w Where) Or(dir string, c *Config) (_ Where, maxFiles int, err error) {
	if len(w.In)+len(w.Collections) > 0 {
		return w, 0, nil
	}
	if dir, err = realPath(dir); err != nil {
		return w, 0, err
	}
	return fallback(dir, c)
}

// File is the path of a chunk's file, see [Opened.File].
func (k *Keeper) File(c *Collection, chunk *winnow.Chunk) string {
	o := newOpened(k.home, k.dir)
	o.roots[c.Name] = c.Roots()
	return o.File(chunk)
}
