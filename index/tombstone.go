package index

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// Tombstones are a bit per chunk of a segment behind a checksum, written whole
// with each commit that deletes.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func writeTombstones(path string, dead segment.Bits) error {
	b := make([]byte, 4, 4+8*len(dead))
	for _, w := range dead {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return segment.WriteFile(path, b)
}

func readTombstones(dir string, info segmentInfo) (segment.Bits, error) {
	if info.Dead == "" {
		return nil, nil
	}
	b, err := os.ReadFile(filepath.Join(dir, info.Dead))
	if err != nil {
		return nil, err
	}
	dead := segment.NewBits(info.Chunks)
	if len(b) != 4+8*len(dead) || crc32.Checksum(b[4:], castagnoli) != binary.LittleEndian.Uint32(b) {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: info.Dead + " is damaged",
			Hint: "index again with --rebuild; the source files are not touched"}
	}
	for i := range dead {
		dead[i] = binary.LittleEndian.Uint64(b[4+8*i:])
	}
	return dead, nil
}

// grave collects the deletions of one commit.
type grave struct {
	dir  string
	dead map[*segmentInfo]segment.Bits // those that changed
}

// bury deletes a document from a segment if it is there and live.
func (g *grave) bury(p *part, info *segmentInfo, id string) error {
	d, err := p.find(id)
	if err != nil || d < 0 {
		return err
	}
	dead, ok := g.dead[info]
	if !ok {
		if dead, err = readTombstones(g.dir, *info); err != nil {
			return err
		}
		if dead == nil {
			dead = segment.NewBits(info.Chunks)
		}
	}
	lo, hi := p.first.At(d), p.first.At(d+1)
	if dead.Has(lo) {
		return nil
	}
	g.dead[info] = dead
	dead.SetRange(lo, hi)
	info.DeadDocuments++
	info.DeadChunks += int(hi - lo)
	for c := lo; c < hi; c++ {
		info.Terms -= int64(p.lex.Len(c))
	}
	return nil
}

// write writes the tombstones that changed and names them in the manifest.
func (g *grave) write(m *manifest) error {
	for i := range m.Segments {
		info := &m.Segments[i]
		if dead, ok := g.dead[info]; ok {
			info.Dead = m.nextFile("dead")
			if err := writeTombstones(filepath.Join(g.dir, info.Dead), dead); err != nil {
				return err
			}
		}
	}
	return nil
}
