package index

import (
	"bytes"
	"testing"

	"github.com/winnow-search/winnow"
)

// FuzzRecord decodes arbitrary bytes as every kind of record. What decodes is
// encoded again and must decode to the same.
func FuzzRecord(f *testing.F) {
	meta := winnow.Metadata{"s": "text", "i": int64(-1), "f": 0.25, "yes": true, "no": false, "": ""}
	f.Add(appendDocument(nil, &winnow.Document{Title: "Title", Path: "a/b", Metadata: meta, Names: []string{"name", ""}, Links: []winnow.Link{{Kind: winnow.LinkReply, Target: "x", At: 9}}}))
	f.Add(appendChunk(nil, &winnow.Chunk{Start: 1 << 40, Tokens: 3, Lines: [2]int{4, 5}, Page: 6, Heading: "a > b", Metadata: meta, Text: "text\xff"}))
	f.Add(metaKey("key", 1.5))
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		if doc, err := decodeDocument(b); err == nil {
			record := appendDocument(nil, &doc)
			again, err := decodeDocument(record)
			if err != nil || !bytes.Equal(appendDocument(nil, &again), record) {
				t.Errorf("got %+v, then %+v, %v", doc, again, err)
			}
		}
		chunk, err := decodeChunk(b)
		text, terr := chunkText(b)
		if (err == nil) != (terr == nil) || err == nil && string(text) != chunk.Text {
			t.Errorf("the text is %q (%v) alone and %q (%v) in the chunk", text, terr, chunk.Text, err)
		}
		if err == nil {
			record := appendChunk(nil, &chunk)
			again, err := decodeChunk(record)
			if err != nil || !bytes.Equal(appendChunk(nil, &again), record) {
				t.Errorf("got %+v, then %+v, %v", chunk, again, err)
			}
		}
		if key, v, ok := splitMetaKey(b); ok {
			again, w, ok := splitMetaKey(metaKey(key, v))
			if !ok || again != key || !bytes.Equal(metaKey(key, v), metaKey(again, w)) {
				t.Errorf("got %q %v, then %q %v", key, v, again, w)
			}
		}
	})
}
