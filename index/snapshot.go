package index

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
)

// generation is what one manifest describes, open. Snapshots share it.
type generation struct {
	manifest *manifest
	analyzer *bm25.Analyzer
	segments []*live
	blobs    map[string]*segment.File
	stats    bm25.Stats
	norms    bm25.Norms
	refs     atomic.Int32

	df     sync.Map // term → live document frequency, where tombstones make it dear
	scopes scopeCache

	referred referenceCache
}

// live is a segment with its tombstones in one generation.
type live struct {
	*part
	info segmentInfo
	dead segment.Bits // chunks; nil if there are none
	// columns are the vectors there are, by space.
	columns map[string]*column
}

func (g *generation) release() {
	if g.refs.Add(-1) == 0 {
		for _, s := range g.segments {
			s.part.release()
			for _, c := range s.columns {
				c.release()
			}
		}
		for _, b := range g.blobs {
			b.Close()
		}
	}
}

// fault is damage that was met while reading; what was read is not to be used.
func (g *generation) fault() error {
	for _, s := range g.segments {
		if err := s.file.Err(); err != nil {
			return err
		}
		for _, c := range s.columns {
			if err := c.file.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *generation) snapshot() *Snapshot {
	g.refs.Add(1)
	return &Snapshot{generation: g}
}

// Snapshot is a pinned generation. All its methods may be called concurrently,
// until Close.
type Snapshot struct {
	*generation
	closed atomic.Bool
}

// Close releases the generation.
func (s *Snapshot) Close() error {
	if s.closed.CompareAndSwap(false, true) {
		s.release()
	}
	return nil
}

// Info is what is known of an index.
type Info struct {
	Generation uint64    `json:"generation"`
	Documents  int       `json:"documents"`
	Chunks     int       `json:"chunks"`
	Segments   int       `json:"segments"`
	TextBytes  int64     `json:"text_bytes"`
	DiskBytes  int64     `json:"disk_bytes"`
	Updated    time.Time `json:"updated"`
	Language   string    `json:"language"`
	// Vectors is the share of chunks that have vectors, by space.
	Vectors map[string]float64 `json:"vectors"`
}

// Info describes the generation.
func (s *Snapshot) Info() Info {
	m := s.manifest
	info := Info{Generation: m.Generation, Segments: len(m.Segments), Updated: m.Updated, Language: m.Settings.Language}
	for i, seg := range m.Segments {
		info.Documents += seg.Documents - seg.DeadDocuments
		info.Chunks += seg.liveChunks()
		info.TextBytes += seg.TextBytes
		info.DiskBytes += s.segments[i].file.Size()
		for _, c := range s.segments[i].columns {
			info.DiskBytes += c.file.Size()
		}
	}
	info.Vectors = map[string]float64{}
	for _, space := range s.Spaces() {
		info.Vectors[space] = s.Coverage(space)
	}
	return info
}

// Check verifies every checksum of the generation.
func (s *Snapshot) Check(ctx context.Context) error {
	for _, seg := range s.segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := seg.file.Verify(); err != nil {
			return err
		}
		for _, c := range seg.columns {
			if err := c.file.Verify(); err != nil {
				return err
			}
		}
	}
	for _, b := range s.blobs {
		if err := b.Verify(); err != nil {
			return err
		}
	}
	return nil
}

// ref points to a chunk.
type ref struct {
	seg int
	ord uint32
}

// findDocument returns the live document with an id.
func (g *generation) findDocument(id string) (seg, doc int, err error) {
	for i, s := range g.segments {
		d, err := s.find(id)
		if err != nil {
			return 0, 0, err
		}
		if d >= 0 && !s.isDead(s.first.At(d)) {
			return i, d, nil
		}
	}
	return -1, -1, nil
}

func (s *live) isDead(ord uint32) bool { return s.dead != nil && s.dead.Has(ord) }

// findChunk returns the live chunk with an id.
func (g *generation) findChunk(id string) (r ref, ok bool, err error) {
	doc, n, ok := cutChunkID(id)
	if !ok {
		return ref{}, false, nil
	}
	seg, d, err := g.findDocument(doc)
	if err != nil || seg < 0 {
		return ref{}, false, err
	}
	s := g.segments[seg]
	ord := s.first.At(d) + n
	if ord >= s.first.At(d+1) {
		return ref{}, false, nil
	}
	return ref{seg, ord}, true, nil
}

// cutChunkID undoes [winnow.ChunkID]. It says what an id would mean if it were
// a chunk's; only a look-up tells whether it is one.
func cutChunkID(id string) (document string, n uint32, ok bool) {
	i := len(id)
	for i > 0 && id[i-1] >= '0' && id[i-1] <= '9' {
		i--
	}
	digits := id[i:]
	if i == 0 || id[i-1] != '_' || digits == "" || len(digits) > 9 || digits[0] == '0' && len(digits) > 1 {
		return "", 0, false
	}
	for _, c := range []byte(digits) {
		n = n*10 + uint32(c-'0')
	}
	return id[:i-1], n, true
}

// chunk loads a chunk with its document's fields.
func (g *generation) chunk(r ref) (winnow.Chunk, error) {
	s := g.segments[r.seg]
	d := s.owner.Int(int(r.ord))
	doc, err := s.document(d)
	if err != nil {
		return winnow.Chunk{}, err
	}
	var c winnow.Chunk
	err = s.chunks.Record(int(r.ord), func(b []byte) (err error) {
		c, err = decodeChunk(b)
		return err
	})
	s.complete(&c, &doc, r.ord)
	return c, err
}

// document loads a document without its chunks.
func (p *part) document(d int) (doc winnow.Document, err error) {
	err = p.docs.Record(d, func(b []byte) (err error) {
		doc, err = decodeDocument(b)
		return err
	})
	if err != nil {
		return doc, err
	}
	doc.ID, err = p.id(d)
	return doc, err
}

// complete fills in what a chunk has from its document.
func (p *part) complete(c *winnow.Chunk, doc *winnow.Document, ord uint32) {
	c.Document, c.Title, c.Path = doc.ID, doc.Title, doc.Path
	c.Ordinal = int(ord - p.first.At(p.owner.Int(int(ord))))
	c.ID = winnow.ChunkID(doc.ID, c.Ordinal)
	if len(doc.Metadata) > 0 {
		own := c.Metadata
		c.Metadata = make(winnow.Metadata, len(doc.Metadata)+len(own))
		for k, v := range doc.Metadata {
			c.Metadata[k] = v
		}
		for k, v := range own {
			c.Metadata[k] = v
		}
	}
}
