package index

import (
	"path/filepath"
	"sync/atomic"

	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/vector"
)

// columnInfo is the vectors of one space for one segment: a file of its own,
// since vectors come later than text.
type columnInfo struct {
	File string `json:"file"`
	// Covered is the number of chunks with vectors, dead ones included.
	Covered int `json:"covered"`
}

// column is an open column file.
type column struct {
	*vector.Column
	name string
	file *segment.File
	refs atomic.Int32
}

func openColumn(dir, name string) (*column, error) {
	f, err := segment.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	v, err := vector.Open(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	c := &column{Column: v, name: name, file: f}
	c.refs.Store(1)
	return c, nil
}

func (c *column) release() {
	if c.refs.Add(-1) == 0 {
		c.file.Close()
	}
}

// openColumns opens the columns of a segment, sharing those that old has open.
func (s *live) openColumns(dir string, old *live) error {
	s.columns = make(map[string]*column, len(s.info.Columns))
	for space, info := range s.info.Columns {
		if old != nil && old.columns[space] != nil && old.columns[space].name == info.File {
			c := old.columns[space]
			c.refs.Add(1)
			s.columns[space] = c
			continue
		}
		c, err := openColumn(dir, info.File)
		if err != nil {
			return err
		}
		s.columns[space] = c
	}
	return nil
}

// Coverage is the share of the live chunks that have vectors of a space. Chunks
// without text have none and count as covered.
func (s *Snapshot) Coverage(space string) float64 {
	covered, all := 0, 0
	for _, seg := range s.segments {
		all += seg.info.Chunks
		covered += seg.info.Columns[space].Covered
	}
	if all == 0 {
		return 0
	}
	return float64(covered) / float64(all)
}

// Spaces are the spaces of which the snapshot has vectors.
func (s *Snapshot) Spaces() []string {
	var spaces []string
	seen := map[string]bool{}
	for _, seg := range s.segments {
		for space := range seg.columns {
			if !seen[space] {
				seen[space] = true
				spaces = append(spaces, space)
			}
		}
	}
	return spaces
}

// dense is the dense side of one search: a question in one space.
type dense struct {
	*generation
	space string
	query *vector.Query
	err   error // the first of a look-up; damage is reported once, at the end
}

func (d *dense) column(seg int) *vector.Column {
	if c := d.segments[seg].columns[d.space]; c != nil {
		return c.Column
	}
	return nil
}

func (d *dense) cos(r ref) float64 {
	c := d.column(r.seg)
	if c == nil {
		return 0
	}
	score, ok, err := c.Score(d.query, r.ord)
	return d.value(score, ok, err)
}

func (d *dense) dot(a, b ref) float64 {
	ca, cb := d.column(a.seg), d.column(b.seg)
	if ca == nil || cb == nil {
		return 0
	}
	score, ok, err := ca.Dot(a.ord, cb, b.ord)
	return d.value(score, ok, err)
}

func (d *dense) value(score float64, ok bool, err error) float64 {
	if err != nil && d.err == nil {
		d.err = err
	}
	if !ok || err != nil {
		return 0
	}
	return score
}
