package pdf

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// file is a PDF being read: its bytes, where its objects are, and those met so
// far.
type file struct {
	data    []byte
	fuel    int
	places  map[int]place
	trailer dict
	crypt   *crypt
	rebuilt bool

	cache   map[int]object
	loading map[int]bool // objects being loaded, to cut cycles
	fonts   map[int]*font
}

// place is where an object is: at an offset, or as an element of an object
// stream.
type place struct {
	offset   int
	inStream int // number of the object stream, 0 for none
	index    int
}

// open finds the objects by the cross-reference tables, or by searching where
// those are damaged.
func (f *file) open() error {
	f.places, f.trailer = map[int]place{}, dict{}
	if !f.readTables() || f.dict(f.trailer["Root"]) == nil {
		f.rebuild()
	}
	if encrypt := f.dict(f.trailer["Encrypt"]); encrypt != nil {
		c, err := newCrypt(f, encrypt)
		if err != nil {
			return err
		}
		f.crypt = c
		clear(f.cache) // strings read so far were not decrypted
	}
	return nil
}

// resolve follows references to an object.
func (f *file) resolve(o object) object {
	for range 32 {
		r, ok := o.(ref)
		if !ok {
			return o
		}
		o = f.load(r.number)
	}
	return nil
}

// dict resolves an object to a dictionary, that of a stream included; nil if it
// is none.
func (f *file) dict(o object) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

func (f *file) number(o object, otherwise float64) float64 {
	switch n := f.resolve(o).(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return otherwise
}

func (f *file) int(o object) int {
	n, _ := f.resolve(o).(int)
	return n
}

// load returns an indirect object, nil if there is none.
func (f *file) load(n int) object {
	if o, ok := f.cache[n]; ok {
		return o
	}
	p, ok := f.places[n]
	if !ok || f.loading[n] || len(f.loading) > maxDepth {
		return nil
	}
	f.loading[n] = true
	defer delete(f.loading, n)
	var o object
	if p.inStream != 0 {
		o = f.element(p)
	} else if o, ok = f.objectAt(n, p.offset); !ok && !f.rebuilt {
		f.rebuild()
		delete(f.loading, n)
		return f.load(n)
	}
	f.cache[n] = o
	return o
}

// objectAt reads "n g obj … endobj".
func (f *file) objectAt(n, offset int) (o object, ok bool) {
	if offset < 0 || offset >= len(f.data) {
		return nil, false
	}
	l := &lexer{data: f.data, at: offset, fuel: &f.fuel}
	number, isInt := l.object(false).(int)
	generation, _ := l.object(false).(int)
	if !isInt || number != n || l.object(false) != operator("obj") {
		return nil, false
	}
	o = l.object(true)
	if op, ok := o.(operator); ok && op != end {
		return nil, true
	}
	if d, ok := o.(dict); ok {
		if raw, ok := f.streamData(l, d); ok {
			s := &stream{dict: d, raw: raw}
			if f.crypt != nil && d["Type"] != name("XRef") {
				s.raw = f.crypt.stream(f, s, n, generation)
			}
			o = s
		}
	}
	if f.crypt != nil {
		o = f.crypt.strings(o, n, generation)
	}
	return o, true
}

// streamData returns the bytes of the stream whose dictionary was just read.
func (f *file) streamData(l *lexer, d dict) (raw []byte, ok bool) {
	l.space()
	rest := l.data[l.at:]
	if !bytes.HasPrefix(rest, []byte("stream")) {
		return nil, false
	}
	rest = rest[len("stream"):]
	rest = bytes.TrimPrefix(rest, []byte("\r"))
	rest = bytes.TrimPrefix(rest, []byte("\n"))
	if n := f.int(d["Length"]); n > 0 && n <= len(rest) {
		after := bytes.TrimLeft(rest[n:min(len(rest), n+32)], "\r\n ")
		if bytes.HasPrefix(after, []byte("endstream")) {
			return rest[:n], true
		}
	}
	// The length is wrong or missing.
	if i := bytes.Index(rest, []byte("endstream")); i >= 0 {
		f.fuel -= i
		return bytes.TrimSuffix(bytes.TrimSuffix(rest[:i], []byte("\n")), []byte("\r")), true
	}
	return rest, true
}

// element reads an object out of an object stream (7.5.7).
func (f *file) element(p place) object {
	s, ok := f.load(p.inStream).(*stream)
	if !ok {
		return nil
	}
	if s.unpacked == nil {
		s.unpacked = f.content(s)
	}
	content := s.unpacked
	header := &lexer{data: content, fuel: &f.fuel}
	for range p.index {
		if header.at >= len(content) {
			return nil
		}
		header.object(false)
		header.object(false)
	}
	header.object(false)
	offset, ok := header.object(false).(int)
	first := f.int(s.dict["First"])
	if !ok || offset < 0 || first < 0 || first+offset > len(content) {
		return nil
	}
	o := (&lexer{data: content, at: first + offset, fuel: &f.fuel}).object(true)
	if _, ok := o.(operator); ok {
		return nil
	}
	return o
}

// readTables reads the chain of cross-reference tables and streams, newest
// first (7.5.4, 7.5.8).
func (f *file) readTables() bool {
	i := bytes.LastIndex(f.data, []byte("startxref"))
	if i < 0 {
		return false
	}
	l := &lexer{data: f.data, at: i + len("startxref"), fuel: &f.fuel}
	offset, ok := l.object(false).(int)
	seen := map[int]bool{}
	for ok {
		if offset < 0 || offset >= len(f.data) || seen[offset] {
			return false
		}
		seen[offset] = true
		trailer := f.readTable(offset)
		if trailer == nil {
			return false
		}
		for key, value := range trailer {
			if _, known := f.trailer[key]; !known {
				f.trailer[key] = value
			}
		}
		if hybrid, ok := trailer["XRefStm"].(int); ok && hybrid > 0 && hybrid < len(f.data) && !seen[hybrid] {
			seen[hybrid] = true
			f.readTable(hybrid)
		}
		offset, ok = trailer["Prev"].(int)
	}
	return len(f.places) > 0
}

// readTable reads one table and returns its trailer.
func (f *file) readTable(offset int) dict {
	l := &lexer{data: f.data, at: offset, fuel: &f.fuel}
	first := l.object(false)
	if n, ok := first.(int); ok {
		o, _ := f.objectAt(n, offset)
		if s, ok := o.(*stream); ok && f.readTableStream(s) {
			return s.dict
		}
		return nil
	}
	if first != operator("xref") {
		return nil
	}
	for {
		start, ok := l.object(false).(int)
		if !ok {
			break // at "trailer"
		}
		count, _ := l.object(false).(int)
		for i := 0; i < count; i++ {
			at, ok := l.object(false).(int)
			l.object(false)
			kind, _ := l.object(false).(operator)
			if !ok {
				return nil
			}
			if kind == "n" {
				f.place(start+i, place{offset: at})
			}
		}
	}
	trailer, _ := l.object(true).(dict)
	return trailer
}

// place notes where an object is, unless a newer table said so already.
func (f *file) place(n int, p place) {
	if _, known := f.places[n]; !known {
		f.places[n] = p
	}
}

func (f *file) readTableStream(s *stream) bool {
	widths, _ := s.dict["W"].(array)
	if len(widths) < 3 {
		return false
	}
	var w [3]int
	total := 0
	for i := range w {
		w[i], _ = widths[i].(int)
		if w[i] < 0 || w[i] > 8 {
			return false
		}
		total += w[i]
	}
	if total == 0 {
		return false
	}
	index, ok := s.dict["Index"].(array)
	if !ok {
		index = array{0, f.int(s.dict["Size"])}
	}
	content := f.content(s)
	for ; len(index) >= 2; index = index[2:] {
		start, _ := index[0].(int)
		count, _ := index[1].(int)
		for i := 0; i < count && len(content) >= total; i++ {
			kind, second, third := 1, bigEndian(content[w[0]:w[0]+w[1]]), bigEndian(content[w[0]+w[1]:total])
			if w[0] > 0 {
				kind = bigEndian(content[:w[0]])
			}
			switch kind {
			case 1:
				f.place(start+i, place{offset: second})
			case 2:
				f.place(start+i, place{inStream: second, index: third})
			}
			content = content[total:]
		}
	}
	return true
}

func bigEndian(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}

var objectStart = regexp.MustCompile(`(?:^|[\r\n\s])(\d{1,9})[ \t]+(\d{1,5})[ \t]+obj\b`)

// rebuild finds the objects of a damaged file by searching for where they
// begin; a later one with the same number is the newer.
func (f *file) rebuild() {
	f.rebuilt = true
	f.places = map[int]place{}
	clear(f.cache)
	f.fuel -= len(f.data)
	var streams []int
	for _, m := range objectStart.FindAllSubmatchIndex(f.data, -1) {
		n, err := strconv.Atoi(string(f.data[m[2]:m[3]]))
		if err != nil {
			continue
		}
		f.places[n] = place{offset: m[2]}
		head := f.data[m[1]:min(len(f.data), m[1]+300)]
		switch {
		case bytes.Contains(head, []byte("/ObjStm")):
			streams = append(streams, n)
		case bytes.Contains(head, []byte("/Catalog")):
			f.trailer["Root"] = ref{number: n}
		case bytes.Contains(head, []byte("/XRef")):
			if d := f.dict(ref{number: n}); d != nil {
				for _, key := range [...]name{"Root", "Info", "Encrypt", "ID"} {
					if d[key] != nil {
						f.trailer[key] = d[key]
					}
				}
			}
		}
	}
	for at := 0; ; {
		i := bytes.Index(f.data[at:], []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		if d, ok := (&lexer{data: f.data, at: at, fuel: &f.fuel}).object(true).(dict); ok {
			for key, value := range d {
				f.trailer[key] = value
			}
		}
	}
	for _, n := range streams {
		s, ok := f.load(n).(*stream)
		if !ok {
			continue
		}
		header := &lexer{data: f.content(s), fuel: &f.fuel}
		for i := range f.int(s.dict["N"]) {
			inner, ok := header.object(false).(int)
			header.object(false)
			if !ok {
				break
			}
			f.place(inner, place{inStream: n, index: i})
		}
	}
	if f.dict(f.trailer["Root"])["Pages"] == nil {
		f.findCatalog()
	}
}

// findCatalog looks for the root of the document among all objects.
func (f *file) findCatalog() {
	for _, n := range slices.Sorted(maps.Keys(f.places)) {
		if d := f.dict(ref{number: n}); d["Type"] == name("Catalog") {
			f.trailer["Root"] = ref{number: n}
			return
		}
	}
}
