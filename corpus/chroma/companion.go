package chroma

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/index/bm25"
)

// Companion is an index on disk that follows one collection.
type Companion struct {
	dir      string
	language string
	layout   Layout // as configured
}

// CompanionOptions are fixed for a companion; other ones make another.
type CompanionOptions struct {
	// Language of stems and stop words; "" is English.
	Language string
	// Layout is the part of it that is known; the rest is guessed.
	Layout Layout
}

// NewCompanion returns the companion in a folder, which need not exist.
func NewCompanion(dir string, o CompanionOptions) *Companion {
	return &Companion{dir: dir, language: o.Language, layout: o.Layout}
}

// Dir is the companion's folder.
func (k *Companion) Dir() string { return k.dir }

// state is what a companion records of itself, in the index, of the same commit
// as the documents.
type state struct {
	Collection string `json:"collection"` // the server's id: a collection made again is another one
	Layout     Layout `json:"layout"`
	Sample     int    `json:"sample"` // records that the layout was guessed from
	// Complete is false until everything was read once.
	Complete bool      `json:"complete"`
	Synced   time.Time `json:"synced"`
}

// The blobs in a companion's index.
const (
	stateBlob = "chroma"
	tableBlob = "records"
)

// indexPrefix begins the names of index folders.
const indexPrefix = "index-"

// indexDir is the folder of the index for a collection: another collection,
// layout or version has another, so nothing is ever mixed.
func (k *Companion) indexDir(collection string) string {
	made, err := json.Marshal([]any{collection, k.language, k.layout, index.Format, bm25.AnalyzerVersion})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	sum := sha256.Sum256(made)
	return filepath.Join(k.dir, indexPrefix+hex.EncodeToString(sum[:8]))
}

// sweep removes the indexes of other collections, layouts and versions.
func (k *Companion) sweep(keep string) {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return // the next sync will
	}
	for _, e := range entries {
		if path := filepath.Join(k.dir, e.Name()); strings.HasPrefix(e.Name(), indexPrefix) && path != keep {
			os.RemoveAll(path)
		}
	}
}

// State is what is known of a companion without asking the server.
type State struct {
	// Records is 0 where there is no companion.
	Records  int
	Complete bool
	Synced   time.Time
	Info     index.Info
}

// State describes the companion of a collection.
func (k *Companion) State(c *Collection) (s State, err error) {
	ix, err := index.Open(k.indexDir(c.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer ix.Close()
	snap, err := ix.Snapshot()
	if err != nil {
		return s, err
	}
	defer snap.Close()
	st, t, err := stored(snap)
	return State{Records: len(t), Complete: st.Complete, Synced: st.Synced, Info: snap.Info()}, err
}

// stored reads what a generation records of itself.
func stored(s *index.Snapshot) (st state, t table, err error) {
	data, err := s.Blob(stateBlob)
	if err != nil || data == nil {
		return st, nil, err
	}
	if err := json.Unmarshal(data, &st); err != nil {
		return st, nil, damaged(err)
	}
	if data, err = s.Blob(tableBlob); err != nil {
		return st, nil, err
	}
	if t, err = decodeTable(data); err != nil {
		return st, nil, damaged(err)
	}
	return st, t, nil
}

func damaged(err error) error {
	return &winnow.Error{Code: winnow.Corrupt, Message: "the companion index of a Chroma collection is damaged",
		Hint: "winnow index --rebuild --collection chroma://… makes it again", Err: err}
}

// Drop deletes the index of a collection, to be made again by the next sync.
func (k *Companion) Drop(c *Collection) error { return os.RemoveAll(k.indexDir(c.ID)) }
