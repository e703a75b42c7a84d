package links

import (
	"path"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// The dictionaries of a segment.
const (
	// NamesSection leads from a name to the chunks it names: the first chunk of
	// a document for one of the document's names, any other for a heading.
	NamesSection = "names"
	// MentionsSection leads from a name to the chunks that mention it.
	MentionsSection = "mentions"
)

// Builder collects the names and mentions of a segment's chunks. The zero value
// is ready.
type Builder struct {
	names, mentions map[string][]uint32
	scanner         Scanner
	n               uint32
}

// Add adds the next document.
func (b *Builder) Add(doc *winnow.Document) {
	if b.names == nil {
		b.names, b.mentions = map[string][]uint32{}, map[string][]uint32{}
	}
	first := b.n
	for _, key := range DocumentNames(doc) {
		add(b.names, key, first)
	}
	links := doc.Links
	for i := range doc.Chunks {
		c := &doc.Chunks[i]
		if h := lastHeading(c.Heading); h != "" && i > 0 {
			for _, key := range Names(h) {
				add(b.names, key, b.n)
			}
		}
		for _, m := range b.scanner.Mentions(c.Text) {
			add(b.mentions, m.Key, b.n)
		}
		for len(links) > 0 && (links[0].At < c.Start+len(c.Text) || i == len(doc.Chunks)-1) {
			add(b.mentions, Exact(links[0].Target), b.n)
			links = links[1:]
		}
		b.n++
	}
}

func add(to map[string][]uint32, key string, ord uint32) {
	l := to[key]
	if len(l) == 0 {
		to[strings.Clone(key)] = []uint32{ord}
	} else if l[len(l)-1] != ord {
		to[key] = append(l, ord)
	}
}

func lastHeading(heading string) string {
	if i := strings.LastIndex(heading, " > "); i >= 0 {
		return heading[i+3:]
	}
	return heading
}

// DocumentNames returns the keys of everything a document may be called.
func DocumentNames(doc *winnow.Document) []string {
	keys := append(Names(doc.Title), Exact(doc.ID))
	for _, n := range doc.Names {
		keys = append(keys, Exact(n))
		keys = append(keys, Names(n)...)
	}
	if doc.Path != "" {
		keys = append(keys, Exact(doc.Path))
		base := path.Base(doc.Path)
		keys = append(keys, Names(base)...)
		if stem := strings.TrimSuffix(base, path.Ext(base)); stem != base {
			keys = append(keys, Names(stem)...)
		}
	}
	if number := tailNumber(doc.ID); number != "" {
		keys = append(keys, number)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// tailNumber returns the long number an id ends with: texts cite patents and
// cases by it.
func tailNumber(id string) string {
	i := len(id)
	for i > 0 && id[i-1] >= '0' && id[i-1] <= '9' {
		i--
	}
	if len(id)-i < 5 {
		return ""
	}
	return id[i:]
}

// Write writes the dictionaries.
func (b *Builder) Write(w *segment.Writer) {
	write(namesDict(w), b.names)
	write(mentionsDict(w), b.mentions)
}

// Every name is looked up in the texts of others; of the mentions only those
// that two texts share.
func namesDict(w *segment.Writer) *segment.DictWriter    { return w.HashedDict(NamesSection, 1) }
func mentionsDict(w *segment.Writer) *segment.DictWriter { return w.HashedDict(MentionsSection, 2) }

func write(d *segment.DictWriter, lists map[string][]uint32) {
	keys := make([]string, 0, len(lists))
	for k := range lists {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var buf []byte
	for _, k := range keys {
		slices.Sort(lists[k])
		ords := slices.Compact(lists[k])
		buf = segment.AppendList(buf[:0], ords, nil)
		d.Add([]byte(k), len(ords), buf)
	}
	d.Close()
}

// Segment is the links part of a segment file.
type Segment struct {
	Names, Mentions segment.Dict
}

// Open opens the links part of a file.
func Open(f *segment.File) (s Segment, err error) {
	if s.Names, err = f.Dict(NamesSection); err != nil {
		return s, err
	}
	s.Mentions, err = f.Dict(MentionsSection)
	return s, err
}

// Merge writes the links part of a segment of n chunks made of others.
func Merge(w *segment.Writer, sources []Segment, remaps [][]uint32, n int) error {
	names := make([]segment.MergeSource, len(sources))
	mentions := make([]segment.MergeSource, len(sources))
	for i, s := range sources {
		names[i] = segment.MergeSource{Dict: s.Names, Remap: remaps[i]}
		mentions[i] = segment.MergeSource{Dict: s.Mentions, Remap: remaps[i]}
	}
	if err := namesDict(w).MergePlain(names, n); err != nil {
		return err
	}
	return mentionsDict(w).MergePlain(mentions, n)
}
