package open

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/embed/cache"
	"github.com/winnow-search/winnow/embed/minilm"
	"github.com/winnow-search/winnow/embed/recent"
	embedremote "github.com/winnow-search/winnow/embed/remote"
	"github.com/winnow-search/winnow/embed/static"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/rerank"
	rerankremote "github.com/winnow-search/winnow/rerank/remote"
)

// Models are what gives collections meaning: embedders and rankers.
type Models struct {
	// fast fills its tier with every update, at the speed of reading; nil for
	// none.
	fast winnow.Embedder
	// best takes its time, and fills its tier when somebody waits for it; nil
	// for none. Questions are embedded without the cache: opening it costs more
	// than the question does.
	best    winnow.Embedder
	vectors string // folder of the cache
	options local.Options
}

// Models are those the configuration asks for. Nothing is loaded and no server
// is asked before the first text is embedded.
func (h Home) Models(c *Config) (*Models, error) {
	m := &Models{vectors: filepath.Join(h.dir, "vectors"), options: local.Options{Synonyms: c.Synonyms}}
	if err := m.embedders(c); err != nil {
		return nil, err
	}
	if err := m.rankers(c); err != nil {
		return nil, err
	}
	for _, b := range c.Boost {
		where, err := b.json()
		if err != nil {
			return nil, err
		}
		m.options.Boosts = append(m.options.Boosts, index.Boost{Where: where, Factor: b.Factor})
	}
	return m, nil
}

// The settings that are not addresses.
const (
	builtin = "builtin"
	off     = "off"
	fast    = "static"
)

// The weights of the tiers in fusion, beside 1 for words: more of the fast tier
// is worse than words alone (docs/benchmarks.md).
const (
	bestWeight = 0.75
	fastWeight = 0.1
)

func (m *Models) embedders(c *Config) error {
	switch {
	case c.Embedder == off:
		return nil
	case c.Embedder == fast:
		m.fast = static.New()
	case c.Embedder == "" || c.Embedder == builtin:
		model, err := minilm.New(minilm.Options{})
		if err != nil {
			return err
		}
		m.fast, m.best = static.New(), model
	case strings.Contains(c.Embedder, "://"):
		key, err := keyFrom(c.EmbedderKeyEnv, "OPENAI_API_KEY")
		if err != nil {
			return err
		}
		if c.EmbedderModel == "" {
			return &winnow.Error{Code: winnow.BadInput, Message: "the embedder at " + c.Embedder + " needs the name of its model", Hint: "set embedder_model"}
		}
		model, err := embedremote.New(embedremote.Options{BaseURL: c.Embedder, Model: c.EmbedderModel, Key: key})
		if err != nil {
			return err
		}
		m.fast, m.best = static.New(), model
	default:
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no embedder %q", c.Embedder),
			Hint: "builtin, static, off, or the address of a server, as in http://localhost:8000/v1"}
	}
	return nil
}

func (m *Models) rankers(c *Config) error {
	ranked := c.Rerank != off
	if strings.Contains(c.Rerank, "://") {
		key, err := keyFrom(c.RerankKeyEnv, "")
		if err != nil {
			return err
		}
		r, err := rerankremote.New(rerankremote.Options{URL: c.Rerank, Model: c.RerankModel, Key: key})
		if err != nil {
			return err
		}
		m.options.Reranker = r
	} else if c.Rerank != "" && c.Rerank != builtin && c.Rerank != off {
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no reranker %q", c.Rerank),
			Hint: "off, builtin, or the address of a server, as in http://localhost:8000/v1/rerank"}
	}
	ranker := func(space string) (index.Ranker, error) {
		if !ranked {
			return nil, nil
		}
		model, err := rerank.Builtin(space, index.Features)
		if model == nil || err != nil {
			return nil, err
		}
		return model, nil
	}
	var err error
	if m.options.Ranker, err = ranker(""); err != nil {
		return err
	}
	for _, e := range []winnow.Embedder{m.best, m.fast} {
		if e == nil {
			continue
		}
		r, err := ranker(e.Name())
		if err != nil {
			return err
		}
		tier := local.Tier{Embedder: e, Ranker: r, Weight: fastWeight}
		if e == m.best {
			tier.Embedder, tier.Weight = recent.New(e), bestWeight
		}
		m.options.Tiers = append(m.options.Tiers, tier)
	}
	return nil
}

// keyFrom reads a key from the environment. A variable that was named and is
// not set is an error; the usual one may be missing.
func keyFrom(named, usual string) (string, error) {
	if named == "" {
		return os.Getenv(usual), nil
	}
	key := os.Getenv(named)
	if key == "" {
		return "", &winnow.Error{Code: winnow.BadInput, Message: "the environment variable " + named + " holds no key", Hint: "export " + named + "=…"}
	}
	return key, nil
}

// Fill computes the vectors that a collection lacks, as far as the context
// lets it. What was computed once, for any collection, is not computed again.
func (c *Collection) Fill(ctx context.Context, m *Models, progress func(done, total int)) (err error) {
	ix, err := c.openIndex()
	if err != nil {
		return err
	}
	defer ix.Close()
	if m.fast != nil {
		if err := ix.Fill(ctx, m.fast, index.FillOptions{}); err != nil {
			return err
		}
	}
	if m.best == nil {
		return nil
	}
	cached, err := cache.New(m.best, m.vectors)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cached.Close()) }()
	return ix.Fill(ctx, cached, index.FillOptions{Progress: progress})
}
