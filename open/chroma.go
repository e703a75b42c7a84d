package open

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/index/segment"
)

// ChromaSettings are how Chroma servers are spoken to and what their records
// mean.
type ChromaSettings struct {
	// KeyEnv names the environment variable that holds the token; "" is
	// CHROMA_API_KEY.
	KeyEnv string `yaml:"key_env,omitempty"`
	// Headers are for gateways in front of a server.
	Headers map[string]Secret `yaml:"headers,omitempty"`
	// CA is the path of a file of certificates to trust.
	CA string `yaml:"ca,omitempty"`
	// Timeout of one search on the server; 0 is 5 seconds.
	Timeout time.Duration `yaml:"timeout,omitempty"`
	// Mode is "server" or "companion"; "" is the server's own hybrid search where
	// it has one, else a companion index here.
	Mode string `yaml:"mode,omitempty"`
	// PerDocument bounds the chunks of one document in a search by the server; 0
	// means no bound.
	PerDocument int `yaml:"per_document,omitempty"`
	// Layout says which metadata keys hold what; what it leaves open is guessed.
	Layout chroma.Layout `yaml:"layout,omitempty"`
}

// The modes of ChromaSettings.
const (
	chromaServer    = "server"
	chromaCompanion = "companion"
)

// chromaKey is the variable of the token where none is named.
const chromaKey = "CHROMA_API_KEY"

// token is what a server at an address is told. The usual key is most likely
// Chroma Cloud's, so it does not travel in the clear unless somebody names it.
func (s *ChromaSettings) token(a chroma.Address) (string, error) {
	host, _, err := net.SplitHostPort(a.Host)
	here := err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
	if s.KeyEnv == "" && !a.TLS && !here {
		return "", nil
	}
	return keyFrom(s.KeyEnv, chromaKey)
}

// client returns one for an address.
func (s *ChromaSettings) client(a chroma.Address) (*chroma.Client, error) {
	token, err := s.token(a)
	if err != nil {
		return nil, err
	}
	o := chroma.Options{Token: token, Timeout: s.Timeout, Headers: map[string]string{}}
	for k, v := range s.Headers {
		o.Headers[k] = string(v)
	}
	if s.CA != "" {
		if o.CA, err = os.ReadFile(s.CA); err != nil {
			return nil, &winnow.Error{Code: winnow.BadInput, Message: "the certificates for Chroma can't be read", Hint: "chroma.ca: the path of a file in PEM", Err: err}
		}
	}
	if s.Mode != "" && s.Mode != chromaServer && s.Mode != chromaCompanion {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no chroma.mode %q", s.Mode), Hint: "server or companion, or nothing for what the server can do"}
	}
	return chroma.NewClient(a, o)
}

// companionDir is the folder of what is kept of a collection on a server.
func (h Home) companionDir(a chroma.Address) string {
	sum := sha256.Sum256([]byte(a.String()))
	return filepath.Join(h.dir, "chroma", slug(a.Host+"-"+a.Collection)+"-"+hex.EncodeToString(sum[:8]))
}

func (h Home) companion(a chroma.Address, c *Config) *chroma.Companion {
	return chroma.NewCompanion(h.companionDir(a), chroma.CompanionOptions{Language: c.Language, Layout: c.Chroma.Layout})
}

// seen is what was last seen of a collection: with it, its companion can be
// searched while the server does not answer.
type seen struct {
	Collection *chroma.Collection `json:"collection"`
	// Checked is the space of the embedder that was found to be the collection's.
	Checked string `json:"checked,omitempty"`
}

const seenName = "seen.json"

func readSeen(dir string) (s seen) {
	data, err := os.ReadFile(filepath.Join(dir, seenName))
	if err != nil || json.Unmarshal(data, &s) != nil {
		return seen{}
	}
	return s
}

func (s seen) write(dir string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return segment.WriteFile(filepath.Join(dir, seenName), data)
}

// openChroma opens the collection at an address, following it first.
func (h Home) openChroma(ctx context.Context, out *Opened, address string, m *Models, o Options) error {
	a, err := chroma.ParseAddress(address)
	if err != nil {
		return err
	}
	name := a.String()
	if slices.Contains(out.Collections, name) {
		return nil
	}
	client, err := o.Config.Chroma.client(a)
	if err != nil {
		return err
	}
	f := &chromaOpening{home: h, address: a, config: o.Config, models: m, options: chroma.CorpusOptions{Collection: name}}
	f.prepare()
	corpus, err := f.open(ctx, client, o.Progress)
	if err != nil {
		client.Close()
		return err
	}
	out.add(name, corpus, f.warnings)
	return nil
}

// chromaOpening is the opening of one collection.
type chromaOpening struct {
	home     Home
	address  chroma.Address
	config   *Config
	models   *Models
	options  chroma.CorpusOptions
	warnings []string
}

// prepare takes the models over.
func (f *chromaOpening) prepare() {
	o, from := &f.options, &f.models.options
	o.WordRanker, o.Reranker = from.Ranker, from.Reranker
	o.Synonyms, o.Boosts, o.PerDocument = from.Synonyms, from.Boosts, f.config.Chroma.PerDocument
	for _, t := range from.Tiers {
		if f.models.best != nil && t.Embedder.Name() == f.models.best.Name() {
			o.Embedder, o.Ranker, o.Weight = t.Embedder, t.Ranker, t.Weight
		}
	}
	if f.config.Embedder == fast {
		f.warnings = append(f.warnings, "the static embedder is of no use for vectors in Chroma, so words and links are searched alone")
	}
}

func (f *chromaOpening) open(ctx context.Context, client *chroma.Client, progress func(done, total int)) (winnow.Corpus, error) {
	dir := f.home.companionDir(f.address)
	last := readSeen(dir)
	c, err := client.Collection(ctx)
	if winnow.CodeOf(err) == winnow.Unavailable && last.Collection != nil && ctx.Err() == nil {
		f.warnings = append(f.warnings, fmt.Sprintf("%s is searched as its companion last saw it: %s", f.address, advice(err)))
		if f.options.Embedder != nil && last.Checked != f.options.Embedder.Name() {
			f.options.Embedder = nil
		}
		if kept, kerr := f.home.companion(f.address, f.config).Open(client.Restore(last.Collection), f.options); kerr == nil {
			return kept, nil
		}
	}
	if err != nil {
		return nil, err
	}
	now := seen{Collection: c, Checked: last.Checked}
	if last.Collection == nil || last.Collection.ID != c.ID {
		now.Checked = ""
	}
	if e := f.options.Embedder; e != nil && now.Checked != e.Name() && c.Dimension > 0 {
		if err := c.Check(ctx, e, f.config.Chroma.Layout); err != nil {
			return nil, err
		}
		now.Checked = e.Name()
	}
	if last.Collection == nil || last.Collection.ID != c.ID || last.Collection.Dimension != c.Dimension || last.Checked != now.Checked {
		if err := now.write(dir); err != nil {
			return nil, err
		}
	}
	if f.config.Chroma.Mode == chromaServer || f.config.Chroma.Mode == "" && c.Limits().Search {
		return chroma.OpenRemote(ctx, c, f.config.Chroma.Layout, f.options)
	}
	if f.options.PerDocument > 0 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "chroma.per_document is for servers that search words themselves, and this one does not", Hint: "leave it out"}
	}
	companion := f.home.companion(f.address, f.config)
	if _, err := follow(ctx, companion, c, chroma.SyncOptions{Embedder: f.options.Embedder}, progress); err != nil {
		state, serr := companion.State(c)
		if ctx.Err() != nil || serr != nil || state.Records == 0 {
			return nil, err
		}
		f.warnings = append(f.warnings, fmt.Sprintf("%s is searched as its companion saw it at %s: %s", f.address, state.Synced.Local().Format(time.DateTime), advice(err)))
	}
	return companion.Open(c, f.options)
}

// follow brings a companion up to date: alone, if there is something to do.
// Texts and vectors are each half of the way.
func follow(ctx context.Context, k *chroma.Companion, c *chroma.Collection, o chroma.SyncOptions, progress func(done, total int)) (*chroma.Synced, error) {
	if !o.Full {
		if ok, err := k.InStep(ctx, c, o.Embedder); ok || err != nil {
			return &chroma.Synced{}, err
		}
	}
	if err := os.MkdirAll(k.Dir(), 0o700); err != nil {
		return nil, err
	}
	unlock, err := lock(k.Dir())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if progress != nil {
		parts := 1
		if o.Embedder != nil {
			parts = 2
		}
		o.Progress = func(done, total int) { progress(done, parts*total) }
		o.Filling = func(done, total int) { progress(total+done, parts*total) }
	}
	return k.Sync(ctx, c, o)
}

// ChromaCollection is a collection on a server as a list shows it.
type ChromaCollection struct {
	Address   string `json:"collection"`
	Records   int    `json:"records"`
	Dimension int    `json:"dimension"`
	// Embedder is the model that made the vectors, "" where nobody says.
	Embedder string `json:"embedder"`
	// Companion says what is kept of it here.
	Companion string    `json:"companion"`
	Synced    time.Time `json:"synced,omitzero"`
	DiskBytes int64     `json:"disk_bytes"`
}

// ListChroma lists the collections of a server, or the one at the address.
func (h Home) ListChroma(ctx context.Context, address string, config *Config) ([]ChromaCollection, error) {
	a, err := chroma.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	client, err := config.Chroma.client(a)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var all []*chroma.Collection
	if a.Collection == "" {
		all, err = client.Collections(ctx)
	} else {
		var one *chroma.Collection
		one, err = client.Collection(ctx)
		all = []*chroma.Collection{one}
	}
	if err != nil {
		return nil, err
	}
	list := []ChromaCollection{}
	for _, c := range all {
		at := a
		at.Collection = c.Name
		one := ChromaCollection{Address: at.String(), Dimension: c.Dimension, Embedder: c.Embedder()}
		if one.Records, err = c.Count(ctx); err != nil {
			return nil, err
		}
		state, err := h.companion(at, config).State(c)
		if err != nil && winnow.CodeOf(err) != winnow.Corrupt {
			return nil, err
		}
		one.Synced, one.DiskBytes = state.Synced, state.Info.DiskBytes
		one.Companion = companionState(state, one.Records, err)
		list = append(list, one)
	}
	slices.SortFunc(list, func(x, y ChromaCollection) int { return cmp.Compare(x.Address, y.Address) })
	return list, nil
}

func companionState(s chroma.State, records int, err error) string {
	switch {
	case err != nil:
		return "damaged"
	case s.Records == 0:
		return "none"
	case !s.Complete:
		return fmt.Sprintf("%d of %d records read", s.Records, records)
	case s.Records != records:
		return fmt.Sprintf("stale: it has %d records", s.Records)
	}
	return "in step by count"
}

// FollowChroma brings the companion of a collection up to date, comparing every
// record; with rebuild it is made again.
func (h Home) FollowChroma(ctx context.Context, address string, config *Config, rebuild bool, progress func(done, total int)) (*chroma.Synced, error) {
	a, err := chroma.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	client, err := config.Chroma.client(a)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	models, err := h.Models(config)
	if err != nil {
		return nil, err
	}
	c, err := client.Collection(ctx)
	if err != nil {
		return nil, err
	}
	companion := h.companion(a, config)
	if rebuild {
		if err := companion.Drop(c); err != nil {
			return nil, err
		}
	}
	if models.best != nil && c.Dimension > 0 {
		if err := c.Check(ctx, models.best, config.Chroma.Layout); err != nil {
			return nil, err
		}
	}
	s := seen{Collection: c}
	if models.best != nil {
		s.Checked = models.best.Name()
	}
	if err := s.write(companion.Dir()); err != nil {
		return nil, err
	}
	return follow(ctx, companion, c, chroma.SyncOptions{Full: true, Embedder: models.best}, progress)
}

// ForgetChroma removes what is kept of a collection. On the server nothing
// changes.
func (h Home) ForgetChroma(address string) error {
	a, err := chroma.ParseAddress(address)
	if err != nil {
		return err
	}
	dir := h.companionDir(a)
	if _, err := os.Stat(dir); a.Collection == "" || err != nil {
		return &winnow.Error{Code: winnow.NotFound, Message: "nothing is kept of " + a.String(), Hint: "winnow ls " + a.Root().String() + " shows what is"}
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	return os.RemoveAll(dir)
}
