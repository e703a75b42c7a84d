package index

import (
	"slices"
	"strings"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/links"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/trigram"
)

// buildSegment writes documents, which must have distinct ids and at least one
// chunk each, as one segment file. The parts of the segment are independent of
// each other, so those that take long, terms, trigrams and links, are built beside the
// writing of the records.
func buildSegment(path string, docs []*winnow.Document, a *bm25.Analyzer) (info segmentInfo, err error) {
	slices.SortFunc(docs, func(x, y *winnow.Document) int { return strings.Compare(x.ID, y.ID) })
	w, err := segment.Create(path)
	if err != nil {
		return info, err
	}
	lex := bm25.NewBuilder(a)
	var grams trigram.Builder
	var named links.Builder
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, d := range docs {
			for i := range d.Chunks {
				lex.Add(d.Title, d.Chunks[i].Heading, d.Chunks[i].Text)
			}
		}
	})
	wg.Go(func() {
		for _, d := range docs {
			for i := range d.Chunks {
				grams.Add(d.Chunks[i].Text)
			}
		}
	})
	wg.Go(func() {
		for _, d := range docs {
			named.Add(d)
		}
	})
	info = writeRecords(w, docs)
	writeMeta(w, docs)
	wg.Wait()
	info.Terms = lex.Write(w)
	grams.Write(w)
	named.Write(w)
	return info, w.Finish()
}

func writeRecords(w *segment.Writer, docs []*winnow.Document) (info segmentInfo) {
	ids, titles := make([]string, len(docs)), make([]string, len(docs))
	first := make([]uint32, 1, len(docs)+1)
	var buf []byte
	chunks := w.Store("chunks")
	for i, d := range docs {
		ids[i], titles[i] = d.ID, d.Title
		for j := range d.Chunks {
			buf = appendChunk(buf[:0], &d.Chunks[j])
			chunks.Add(buf)
			info.TextBytes += int64(len(d.Chunks[j].Text))
		}
		first = append(first, first[i]+uint32(len(d.Chunks)))
	}
	chunks.Close()
	records := w.Store("docs")
	for _, d := range docs {
		buf = appendDocument(buf[:0], d)
		records.Add(buf)
	}
	records.Close()
	writeIDs(w, ids)
	writeStrings(w, "titles", titles)
	writeOwners(w, first)
	info.Documents, info.Chunks = len(docs), int(first[len(docs)])
	return info
}

// writeMeta writes which chunks have which metadata: the document's, unless the
// chunk has its own under the same key.
func writeMeta(w *segment.Writer, docs []*winnow.Document) {
	lists := map[string][]uint32{}
	ord := uint32(0)
	for _, d := range docs {
		for i := range d.Chunks {
			own := d.Chunks[i].Metadata
			for k, v := range d.Metadata {
				if _, shadowed := own[k]; !shadowed {
					key := string(metaKey(k, v))
					lists[key] = append(lists[key], ord)
				}
			}
			for k, v := range own {
				key := string(metaKey(k, v))
				lists[key] = append(lists[key], ord)
			}
			ord++
		}
	}
	keys := make([]string, 0, len(lists))
	for k := range lists {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	d := w.Dict("meta")
	var buf []byte
	for _, k := range keys {
		buf = segment.AppendList(buf[:0], lists[k], nil)
		d.Add([]byte(k), len(lists[k]), buf)
	}
	d.Close()
}
