package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
)

// Format is the version of the directory's layout that this package writes. It
// reads every version up to it.
const Format = 1

const manifestName = "manifest.json"

// manifest names the files of the current generation. Replacing it is the
// commit: everything it names is on disk before.
type manifest struct {
	Format int `json:"format"`
	// Created tells an index from one made later in the same place.
	Created    time.Time         `json:"created"`
	Generation uint64            `json:"generation"`
	NextFile   uint64            `json:"next_file"`
	Updated    time.Time         `json:"updated"`
	Settings   Settings          `json:"settings"`
	Segments   []segmentInfo     `json:"segments"`
	Blobs      map[string]string `json:"blobs,omitempty"`
}

// Settings are fixed when an index is created.
type Settings struct {
	// Language of stems and stop words; "" is English. See [bm25.Languages].
	Language string `json:"language,omitempty"`
	// Analyzer is the version of the analysis that made the terms.
	Analyzer int `json:"analyzer,omitempty"`
}

type segmentInfo struct {
	File      string `json:"file"`
	Documents int    `json:"documents"`
	Chunks    int    `json:"chunks"`
	// What the tombstones take away.
	Dead          string `json:"dead,omitempty"` // file of the tombstones
	DeadDocuments int    `json:"dead_documents,omitempty"`
	DeadChunks    int    `json:"dead_chunks,omitempty"`
	// Terms is the number of terms in the live chunks.
	Terms int64 `json:"terms"`
	// TextBytes is the size of the text of all chunks, dead ones included.
	TextBytes int64 `json:"text_bytes"`
	// Columns are the vectors there are, by space.
	Columns map[string]columnInfo `json:"columns,omitempty"`
}

func (s segmentInfo) liveChunks() int { return s.Chunks - s.DeadChunks }

func newManifest(s Settings) (*manifest, error) {
	a, err := bm25.NewAnalyzer(s.Language)
	if err != nil {
		return nil, err
	}
	s.Language, s.Analyzer = a.Language, bm25.AnalyzerVersion
	return &manifest{Format: Format, Created: time.Now().UTC(), Settings: s, Blobs: map[string]string{}}, nil
}

func readManifest(dir string) (*manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: "there is no index in " + dir, Hint: "winnow index makes one", Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	body, sum, _ := bytes.Cut(b, []byte(manifestSum))
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, corruptManifest(dir, err)
	}
	if m.Format > Format {
		return nil, &winnow.Error{Code: winnow.TooNew,
			Message: fmt.Sprintf("the index in %s has format %d, and this winnow reads up to %d", dir, m.Format, Format),
			Hint:    "use the newer winnow that wrote it, or index again into a new collection"}
	}
	if string(sum) != checksum(body) {
		return nil, corruptManifest(dir, errors.New("it fails its checksum"))
	}
	if m.Blobs == nil {
		m.Blobs = map[string]string{}
	}
	return &m, nil
}

// manifestSum begins the last line of a manifest. The checksum is of all that
// comes before: a manifest that has lost a segment to a flipped bit would make
// the next commit remove the segment's file.
const manifestSum = "\ncrc32c "

func checksum(body []byte) string { return fmt.Sprintf("%08x\n", crc32.Checksum(body, castagnoli)) }

func corruptManifest(dir string, err error) error {
	return &winnow.Error{Code: winnow.Corrupt, Message: "the manifest in " + dir + " is damaged",
		Hint: "index again with --rebuild; the source files are not touched", Err: err}
}

func (m *manifest) write(dir string) error {
	m.Generation++
	m.Updated = time.Now().UTC()
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return segment.WriteFile(filepath.Join(dir, manifestName), []byte(string(b)+manifestSum+checksum(b)))
}

// create writes the first manifest of an index, unless another process was
// faster: its index may hold documents by now.
func (m *manifest) create(dir string) error {
	unlock, err := lock(context.Background(), dir)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(dir, manifestName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return m.write(dir)
}

// same reports whether two manifests describe the same generation.
func (m *manifest) same(n *manifest) bool {
	return m.Generation == n.Generation && m.Created.Equal(n.Created)
}

// nextFile returns a file name no generation has used.
func (m *manifest) nextFile(kind string) string {
	m.NextFile++
	return fmt.Sprintf("%s-%06d", kind, m.NextFile)
}

// files are the names the manifest refers to.
func (m *manifest) files() map[string]bool {
	names := map[string]bool{}
	for _, s := range m.Segments {
		names[s.File] = true
		if s.Dead != "" {
			names[s.Dead] = true
		}
		for _, c := range s.Columns {
			names[c.File] = true
		}
	}
	for _, b := range m.Blobs {
		names[b] = true
	}
	return names
}
