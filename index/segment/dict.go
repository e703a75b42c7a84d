package segment

import (
	"bytes"
	"encoding/binary"
)

// keysPerBlock trades the size of the dictionary (keys in a block share their
// prefixes) against the entries read per lookup.
const keysPerBlock = 24

// A dictionary is two sections: name+".lists" holds the values one after the
// other, name+".keys" the sorted keys in blocks,
//
//	[block: offset of its first value | entries: shared prefix, suffix, count, length of the value]
//	[block offsets u32…] [number of blocks u32]
//
// with all integers but the last two kinds as varints. A hashed dictionary has a
// third section, name+".hash": an open hash table whose entries are the upper
// half of a key's hash and its number plus one. It finds a key, or finds out
// that there is none, at the cost of one or two cache misses.

// DictWriter writes a dictionary. Keys must be added in rising order.
type DictWriter struct {
	w      *Writer
	name   string
	keys   []byte
	blocks []uint32
	last   []byte
	n      int
	off    int
	// The hash table's keys: those with at least hashMin ordinals.
	hashMin int
	hashes  []uint64
	hashed  []uint32
}

// Dict starts a dictionary; its lists section is open until Close.
func (w *Writer) Dict(name string) *DictWriter {
	w.Begin(name + ".lists")
	return &DictWriter{w: w, name: name}
}

// HashedDict starts a dictionary with a hash table over the keys that have at
// least min ordinals.
func (w *Writer) HashedDict(name string, min int) *DictWriter {
	d := w.Dict(name)
	d.hashMin = min
	return d
}

// Add adds a key whose value is a list of count ordinals, encoded.
func (d *DictWriter) Add(key []byte, count int, value []byte) {
	shared := 0
	if d.n%keysPerBlock == 0 {
		d.blocks = append(d.blocks, uint32(len(d.keys)))
		d.keys = binary.AppendUvarint(d.keys, uint64(d.off))
	} else {
		shared = commonPrefix(d.last, key)
	}
	d.keys = binary.AppendUvarint(d.keys, uint64(shared))
	d.keys = binary.AppendUvarint(d.keys, uint64(len(key)-shared))
	d.keys = append(d.keys, key[shared:]...)
	d.keys = binary.AppendUvarint(d.keys, uint64(count))
	d.keys = binary.AppendUvarint(d.keys, uint64(len(value)))
	d.last = append(d.last[:0], key...)
	if d.hashMin > 0 && count >= d.hashMin {
		d.hashes = append(d.hashes, Hash(key))
		d.hashed = append(d.hashed, uint32(d.n))
	}
	d.n++
	d.off += len(value)
	d.w.Write(value)
}

// Close writes the keys.
func (d *DictWriter) Close() {
	d.w.Write(make([]byte, pad))
	d.w.Begin(d.name + ".keys")
	d.w.Write(d.keys)
	tail := make([]byte, 0, 4*len(d.blocks)+4)
	for _, b := range d.blocks {
		tail = binary.LittleEndian.AppendUint32(tail, b)
	}
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(d.blocks)))
	d.w.Write(tail)
	if d.hashMin > 0 {
		d.writeHash()
	}
}

func (d *DictWriter) writeHash() {
	size := 1
	for size < 2*len(d.hashes) {
		size *= 2
	}
	table := make([]uint32, 2*size)
	for i, h := range d.hashes {
		slot := int(h) & (size - 1)
		for table[2*slot] != 0 {
			slot = (slot + 1) & (size - 1)
		}
		table[2*slot], table[2*slot+1] = d.hashed[i]+1, uint32(h>>32)
	}
	d.w.Uint32s(d.name+".hash", table)
}

// Hash is FNV-1a with a final mix, so that both halves are usable.
func Hash[T string | []byte](key T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Dict reads a dictionary.
type Dict struct {
	keys   Section
	lists  Section
	hash   Section
	blocks int
	table  int // offset of the block offsets
}

// Entry is what a dictionary holds for a key.
type Entry struct {
	Count int
	off   int
	n     int
}

// Dict opens the named dictionary; a missing one is empty.
func (f *File) Dict(name string) (Dict, error) {
	d := Dict{keys: f.Section(name + ".keys"), lists: f.Section(name + ".lists"), hash: f.Section(name + ".hash")}
	n := d.keys.Len()
	if n == 0 {
		return d, nil
	}
	b, err := d.keys.Bytes(n-4, 4)
	if err != nil {
		return Dict{}, err
	}
	d.blocks = int(binary.LittleEndian.Uint32(b))
	d.table = n - 4 - 4*d.blocks
	if d.table < 0 {
		return Dict{}, f.corrupt("dictionary " + name + " is cut short")
	}
	return d, nil
}

func (d *Dict) block(i int) ([]byte, error) {
	b, err := d.keys.Bytes(d.table+4*i, 8) // the last block's successor is the block count; not used
	if err != nil {
		return nil, err
	}
	from, to := int(binary.LittleEndian.Uint32(b)), d.table
	if i+1 < d.blocks {
		to = int(binary.LittleEndian.Uint32(b[4:]))
	}
	return d.keys.Bytes(from, to-from)
}

// scan walks a block's entries in place. key is valid until the next call.
type scan struct {
	rest []byte
	key  []byte
	Entry
	next int
}

func (s *scan) begin(block []byte) {
	off, n := binary.Uvarint(block)
	s.rest, s.next, s.key = block[max(n, 0):], int(off), s.key[:0]
}

func (s *scan) advance() bool {
	shared, a := binary.Uvarint(s.rest)
	if a <= 0 {
		return false
	}
	suffix, b := binary.Uvarint(s.rest[a:])
	at := a + b
	if b <= 0 || shared > uint64(len(s.key)) || suffix > uint64(len(s.rest)-at) {
		return false
	}
	s.key = append(s.key[:shared], s.rest[at:at+int(suffix)]...)
	at += int(suffix)
	count, c := binary.Uvarint(s.rest[at:])
	size, e := binary.Uvarint(s.rest[at+max(c, 0):])
	if c <= 0 || e <= 0 {
		return false
	}
	s.rest = s.rest[at+c+e:]
	s.Entry = Entry{Count: int(count), off: s.next, n: int(size)}
	s.next += int(size)
	return true
}

// find returns the last block whose first key is not above key, or 0.
func (d *Dict) find(key []byte) (int, error) {
	lo, hi := 0, d.blocks
	var s scan
	for lo+1 < hi {
		mid := (lo + hi) / 2
		b, err := d.block(mid)
		if err != nil {
			return 0, err
		}
		s.begin(b)
		if s.advance() && bytes.Compare(s.key, key) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// Lookup returns the entry of a key; its Count is 0 if there is none.
func (d *Dict) Lookup(key []byte) (Entry, error) {
	if d.blocks == 0 {
		return Entry{}, nil
	}
	i, err := d.find(key)
	if err != nil {
		return Entry{}, err
	}
	b, err := d.block(i)
	if err != nil {
		return Entry{}, err
	}
	var s scan
	s.begin(b)
	for s.advance() {
		switch bytes.Compare(s.key, key) {
		case 0:
			return s.Entry, nil
		case 1:
			return Entry{}, nil
		}
	}
	return Entry{}, nil
}

// Find is Lookup through the hash table: faster, and blind to keys that are not
// in the table.
func (d *Dict) Find(key string) (Entry, error) {
	size := d.hash.Len() / 8
	if size == 0 {
		return Entry{}, nil
	}
	h := Hash(key)
	for probe := range size {
		b, err := d.hash.Bytes(8*((int(h)+probe)&(size-1)), 8)
		if err != nil {
			return Entry{}, err
		}
		n := binary.LittleEndian.Uint32(b)
		if n == 0 {
			return Entry{}, nil
		}
		if binary.LittleEndian.Uint32(b[4:]) != uint32(h>>32) {
			continue
		}
		e, ok, err := d.at(int(n-1), key)
		if ok || err != nil {
			return e, err
		}
	}
	return Entry{}, d.hash.f.corrupt("a hash table is full")
}

// at returns the entry of key number n if it is key.
func (d *Dict) at(n int, key string) (Entry, bool, error) {
	b, err := d.block(n / keysPerBlock)
	if err != nil {
		return Entry{}, false, err
	}
	var s scan
	s.begin(b)
	for range n%keysPerBlock + 1 {
		if !s.advance() {
			return Entry{}, false, nil
		}
	}
	return s.Entry, string(s.key) == key, nil
}

// Value returns the encoded list of an entry, followed by padding.
func (d *Dict) Value(e Entry) ([]byte, error) { return d.lists.Bytes(e.off, e.n+pad) }

// List returns an entry's list.
func (d *Dict) List(e Entry, freqs bool) (List, error) {
	b, err := d.Value(e)
	if err != nil {
		return List{}, err
	}
	l, ok := NewList(b, e.Count, freqs)
	if !ok {
		return List{}, d.keys.f.corrupt("a list is cut short")
	}
	return l, nil
}

// Cursor walks a dictionary's keys in order.
type Cursor struct {
	d     *Dict
	block int // next to read
	from  []byte
	s     scan
	err   error
}

// Seek returns a cursor whose first Next finds the first key not below key.
func (d *Dict) Seek(key []byte) *Cursor {
	c := &Cursor{d: d, from: key}
	if d.blocks > 0 {
		c.block, c.err = d.find(key)
	}
	return c
}

// Next moves to the next key; it reports false at the end or at an error.
func (c *Cursor) Next() bool {
	for c.err == nil {
		for c.s.advance() {
			if c.from == nil || bytes.Compare(c.s.key, c.from) >= 0 {
				c.from = nil
				return true
			}
		}
		if c.block >= c.d.blocks {
			return false
		}
		b, err := c.d.block(c.block)
		if err != nil {
			c.err = err
			return false
		}
		c.block++
		c.s.begin(b)
	}
	return false
}

// Key is the current key, valid until the next call of Next.
func (c *Cursor) Key() []byte { return c.s.key }

// Entry is the current key's entry.
func (c *Cursor) Entry() Entry { return c.s.Entry }

// Err is the error that ended the walk, if one did.
func (c *Cursor) Err() error { return c.err }
