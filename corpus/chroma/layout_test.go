package chroma

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/winnow-search/winnow"
)

// sample makes n records by a rule.
func sample(n int, of func(i int) Record) []Record {
	out := make([]Record, n)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

func TestLayoutsAreGuessed(t *testing.T) {
	type m = winnow.Metadata
	for name, test := range map[string]struct {
		records []Record
		want    Layout
		// the first record's place
		document string
		ordinal  int64
	}{
		"chunk ids": {sample(20, func(i int) Record { return Record{ID: fmt.Sprintf("doc%d_%d", i/3, i%3)} }),
			Layout{Separator: "_"}, "doc0", 0},
		"chunk ids with a title": {sample(20, func(i int) Record {
			return Record{ID: fmt.Sprintf("https://x/%d_%d", i/4, i%4), Metadata: m{"title": "T"}}
		}), Layout{Separator: "_", Title: "title"}, "https://x/0", 0},
		"document key and number": {sample(20, func(i int) Record {
			return Record{ID: fmt.Sprintf("uuid-%x", i*7919), Metadata: m{"doc_id": fmt.Sprintf("d%d", i/5), "chunk_index": int64(i % 5)}}
		}), Layout{Document: "doc_id", Ordinal: "chunk_index"}, "d0", 0},
		"source and page, no numbers": {sample(20, func(i int) Record {
			return Record{ID: fmt.Sprintf("%x", i*7919), Metadata: m{"source": fmt.Sprintf("f%d.pdf", i/4), "page": int64(i % 4)}}
		}), Layout{Document: "source", Page: "page"}, "f0.pdf", 0},
		"a category is no document": {sample(20, func(i int) Record {
			return Record{ID: fmt.Sprintf("r%c", 'a'+i), Metadata: m{"source": "wiki"}}
		}), Layout{}, "ra", 0},
		"numbered things are no chunks": {sample(20, func(i int) Record { return Record{ID: fmt.Sprintf("item_%d", i)} }),
			Layout{}, "item_0", 0},
		"plain": {sample(3, func(i int) Record { return Record{ID: fmt.Sprintf("r%c", 'a'+i)} }), Layout{}, "ra", 0},
		"our own": {sample(3, func(i int) Record {
			return Record{ID: fmt.Sprintf("x_%d", i), Metadata: m{"winnow_document": "x", "winnow_chunk": int64(i)}}
		}), own, "x", 0},
		"nothing": {nil, Layout{}, "", 0},
	} {
		got := Layout{}.guess(test.records)
		if got != test.want {
			t.Errorf("%s: guessed %+v, want %+v", name, got, test.want)
		}
		if len(test.records) == 0 {
			continue
		}
		if document, ordinal, _ := got.place(&test.records[0]); document != test.document || ordinal != test.ordinal {
			t.Errorf("%s: the first record is chunk %d of %q", name, ordinal, document)
		}
	}
}

func TestWhatIsConfiguredIsNotGuessed(t *testing.T) {
	records := sample(20, func(i int) Record {
		return Record{ID: fmt.Sprintf("a%d_%d", i/3, i%3), Metadata: winnow.Metadata{"thread": "t", "nr": int64(20 - i), "title": "x", "subject": "y"}}
	})
	got := Layout{Document: "thread", Ordinal: "nr", Title: "subject"}.guess(records)
	if want := (Layout{Document: "thread", Ordinal: "nr", Title: "subject"}); got != want {
		t.Errorf("it is %+v", got)
	}
	if document, n, ok := got.place(&records[3]); document != "t" || n != 17 || !ok {
		t.Errorf("a record is chunk %d of %q", n, document)
	}
	if document, _, _ := got.place(&Record{ID: "lone"}); document != "lone" {
		t.Errorf("a record without the key is of %q", document)
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	d := &winnow.Document{ID: "a/b_1.md", Title: "T", Path: "a/b_1.md", Metadata: winnow.Metadata{"year": int64(3), "x": true}, Chunks: []winnow.Chunk{
		{Text: "one\ntwo\n", Lines: [2]int{1, 2}, Heading: "H > I", Page: 4, Tokens: 4, Metadata: winnow.Metadata{"year": int64(4)}},
		{Text: "three", Lines: [2]int{3, 3}, Start: 8, Tokens: 1}}}
	records := make([]Record, len(d.Chunks))
	for i := range d.Chunks {
		records[i] = record(d, &d.Chunks[i], i, winnow.Vector{1})
	}
	if records[1].ID != "a/b_1.md_1" {
		t.Errorf("the record's id is %s", records[1].ID)
	}
	got := own.document(d.ID, records)
	want := *d
	want.Metadata = nil // a record has the document's and its own in one
	want.Chunks = []winnow.Chunk{d.Chunks[0], d.Chunks[1]}
	want.Chunks[0].Metadata = winnow.Metadata{"year": int64(4), "x": true}
	want.Chunks[1].Metadata = winnow.Metadata{"year": int64(3), "x": true}
	for i := range want.Chunks {
		want.Chunks[i].Title, want.Chunks[i].Path = "T", "a/b_1.md"
	}
	if !reflect.DeepEqual(got, &want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, &want)
	}
}

func TestLinesCountThroughChunksThatTellNone(t *testing.T) {
	d := Layout{}.document("x", []Record{{ID: "1", Document: "a\nb\n"}, {ID: "2", Document: "c"}, {ID: "3", Document: "d\n"}})
	for i, want := range [][2]int{{1, 2}, {3, 3}, {3, 3}} {
		if d.Chunks[i].Lines != want {
			t.Errorf("chunk %d has lines %v, want %v", i, d.Chunks[i].Lines, want)
		}
	}
}

func TestATableIsReadAsItWasWritten(t *testing.T) {
	in := table{{id: "b", document: "x", order: -3, ordinal: 1, hash: 1 << 63}, {id: "a", document: "x", order: 9, hash: 7}, {id: "ü", document: "y"}}
	got, err := decodeTable(in.encode())
	if err != nil || !reflect.DeepEqual(got, in) || in[0].id != "a" {
		t.Errorf("got %+v (%v)", got, err)
	}
	if e := got.find("b"); e == nil || e.chunk() != "x_1" || got.find("c") != nil {
		t.Errorf("b is %+v", e)
	}
	if empty, err := decodeTable(table{}.encode()); err != nil || len(empty) != 0 {
		t.Errorf("an empty table is %v (%v)", empty, err)
	}
}

func FuzzTable(f *testing.F) {
	f.Add(table{{id: "a", document: "x"}, {id: "b", document: "y", order: 5}}.encode())
	f.Add([]byte{1, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decodeTable(data)
		if err == nil {
			if again, err := decodeTable(got.encode()); err != nil || len(again) != len(got) {
				t.Errorf("what was read is written as something else (%v)", err)
			}
		}
	})
}
