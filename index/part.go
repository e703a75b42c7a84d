package index

import (
	"path/filepath"
	"sync/atomic"

	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/links"
	"github.com/winnow-search/winnow/index/segment"
)

// part is an open segment. Its documents are sorted by id, so that the order of
// ordinals is the order of ids, and ties need no look-up inside a segment.
//
// The sections of a segment file:
//
//	ids.off, ids.bytes, ids.hash   the documents' ids, and a hash table over them
//	titles.off, titles.bytes       the documents' titles once more, for the ranker
//	first, owner                   first chunk of each document; document of each chunk
//	docs.*, chunks.*               records (see record.go)
//	terms.*, lens                  package bm25
//	trigrams.*                     3-byte keys, folded, to chunks
//	meta.*                         metadata key and value to chunks
//	names.*, mentions.*            package links
type part struct {
	name string
	file *segment.File
	refs atomic.Int32

	lex      *bm25.Segment
	trigrams segment.Dict
	meta     segment.Dict
	links    links.Segment
	docs     segment.Store
	chunks   segment.Store
	idOff    segment.Uint32s
	idBytes  segment.Section
	idHash   segment.Uint32s
	titleOff segment.Uint32s
	titles   segment.Section
	first    segment.Uint32s // one more than there are documents
	owner    segment.Uint32s
}

func openPart(dir, name string) (*part, error) {
	f, err := segment.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	p := &part{name: name, file: f}
	p.refs.Store(1)
	if err := p.open(); err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

func (p *part) open() (err error) {
	if p.lex, err = bm25.Open(p.file); err != nil {
		return err
	}
	if p.trigrams, err = p.file.Dict("trigrams"); err != nil {
		return err
	}
	if p.meta, err = p.file.Dict("meta"); err != nil {
		return err
	}
	if p.links, err = links.Open(p.file); err != nil {
		return err
	}
	for name, to := range map[string]*segment.Uint32s{"ids.off": &p.idOff, "ids.hash": &p.idHash, "titles.off": &p.titleOff, "first": &p.first, "owner": &p.owner} {
		*to = p.file.Section(name).Uint32s()
	}
	p.idBytes, p.titles = p.file.Section("ids.bytes"), p.file.Section("titles.bytes")
	p.docs, p.chunks = p.file.Store("docs"), p.file.Store("chunks")
	return nil
}

func (p *part) release() {
	if p.refs.Add(-1) == 0 {
		p.file.Close()
	}
}

func (p *part) documents() int  { return p.idOff.Len() - 1 }
func (p *part) chunkCount() int { return p.owner.Len() }

// id returns the id of document d.
func (p *part) id(d int) (string, error) {
	lo, hi := p.idOff.Int(d), p.idOff.Int(d+1)
	b, err := p.idBytes.Bytes(lo, hi-lo)
	return string(b), err
}

// title returns the title of document d.
func (p *part) title(d int) (string, error) {
	lo, hi := p.titleOff.Int(d), p.titleOff.Int(d+1)
	b, err := p.titles.Bytes(lo, hi-lo)
	return string(b), err
}

// find returns the document with an id, or −1.
func (p *part) find(id string) (int, error) {
	n := p.idHash.Len()
	if n == 0 {
		return -1, nil
	}
	for slot := int(segment.Hash(id)) & (n - 1); ; slot = (slot + 1) & (n - 1) {
		v := p.idHash.Int(slot)
		if v == 0 {
			return -1, p.file.Err()
		}
		lo, hi := p.idOff.Int(v-1), p.idOff.Int(v)
		if hi-lo != len(id) {
			continue
		}
		b, err := p.idBytes.Bytes(lo, hi-lo)
		if err != nil {
			return -1, err
		}
		if string(b) == id {
			return v - 1, nil
		}
	}
}

func writeIDs(w *segment.Writer, ids []string) {
	size := 1
	for size < 2*len(ids) {
		size *= 2
	}
	table := make([]uint32, size)
	for d, id := range ids {
		slot := int(segment.Hash(id)) & (size - 1)
		for table[slot] != 0 {
			slot = (slot + 1) & (size - 1)
		}
		table[slot] = uint32(d + 1)
	}
	w.Uint32s("ids.hash", table)
	writeStrings(w, "ids", ids)
}

func writeStrings(w *segment.Writer, name string, strings []string) {
	off := make([]uint32, 1, len(strings)+1)
	w.Begin(name + ".bytes")
	for i, s := range strings {
		w.Write([]byte(s))
		off = append(off, off[i]+uint32(len(s)))
	}
	w.Uint32s(name+".off", off)
}

// writeOwners writes both directions between documents and chunks.
func writeOwners(w *segment.Writer, first []uint32) {
	owner := make([]uint32, first[len(first)-1])
	for d := range len(first) - 1 {
		for c := first[d]; c < first[d+1]; c++ {
			owner[c] = uint32(d)
		}
	}
	w.Uint32s("first", first)
	w.Uint32s("owner", owner)
}
