package index_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

var update = flag.Bool("update", false, "write the index of this version's format to testdata, and the answers it gives")

// TestFrozenIndexesAnswerAsEver opens the indexes that earlier versions wrote,
// testdata/format-N, and expects the answers of then, testdata/format-N.txt. A
// frozen index is never written again once its format is released.
func TestFrozenIndexesAnswerAsEver(t *testing.T) {
	if *update {
		freeze(t, filepath.Join("testdata", fmt.Sprintf("format-%d", index.Format)))
	}
	for format := 1; format <= index.Format; format++ {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			frozen := filepath.Join("testdata", fmt.Sprintf("format-%d", format))
			want, err := os.ReadFile(frozen + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(frozen)); err != nil {
				t.Fatal(err)
			}
			ix, err := index.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer ix.Close()
			sameAnswers(t, ix, want)
			if err := ix.Merge(context.Background()); err != nil {
				t.Fatal(err)
			}
			sameAnswers(t, ix, want)
		})
	}
}

func sameAnswers(t *testing.T, ix *index.Index, want []byte) {
	t.Helper()
	got, wanted := bytes.Split(frozenAnswers(t, ix), []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || !bytes.Equal(got[i], wanted[i]) {
			t.Fatalf("the answers differ in line %d: %s", i+1, got[min(i, len(got)-1)])
		}
	}
}

// freeze writes the index that frozenCommits describes, and its answers.
func freeze(t *testing.T, dir string) {
	t.Helper()
	ctx := context.Background()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for n, commit := range frozenCommits() {
		for _, d := range commit.put {
			if err := w.Put(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range commit.delete {
			if err := w.Delete(ctx, id); err != nil {
				t.Fatal(err)
			}
		}
		w.SetBlob("files", fmt.Appendf(nil, "the table of commit %d", n+1))
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+".txt", frozenAnswers(t, ix), 0o644); err != nil {
		t.Fatal(err)
	}
}

type frozenCommit struct {
	put    []*winnow.Document
	delete []string
}

// frozenCommits have all that documents can have, in several segments with
// tombstones: titles, headings, pages, names, links, metadata of all types on
// documents and chunks, scripts without spaces, an empty document, ids that look
// like chunks' ids, and a term in more chunks than a block of a list holds.
func frozenCommits() []frozenCommit {
	ada := document("people/ada.md", "# Ada Lovelace\nShe wrote the first program, for the Analytical Engine.\n|## Notes\nThe notes on [Menabrea](menabrea.md) were published in 1843.\n", winnow.Metadata{
		"born": int64(1815), "field": "mathematics", "rating": 4.5, "living": false,
	})
	ada.Title, ada.Names = "Ada Lovelace", []string{"Augusta Ada King", "Countess of Lovelace"}
	ada.Links = []winnow.Link{{Kind: winnow.LinkHyper, Target: "people/menabrea.md", At: 90}}
	ada.Chunks[0].Heading, ada.Chunks[1].Heading = "Ada Lovelace", "Ada Lovelace > Notes"
	ada.Chunks[1].Metadata = winnow.Metadata{"year": int64(1843), "field": "computing"}

	menabrea := document("people/menabrea.md", "Luigi Menabrea described the engine of Babbage in French.\nHe became Prime Minister of Italy.\n", winnow.Metadata{
		"born": int64(1809), "field": "engineering", "rating": 3.25, "living": false,
	})
	menabrea.Title = "Luigi Menabrea"

	engine := document("things/engine.pdf", "The Analytical Engine was a proposed mechanical computer.|It had a mill and a store.\nIts mill would have been driven by steam.|Ada Lovelace and Charles Babbage worked on it.", winnow.Metadata{
		"year": int64(1837), "built": false, "weight": 13.5e3,
	})
	engine.Title = "Analytical Engine (machine)"
	for i := range engine.Chunks {
		engine.Chunks[i].Page, engine.Chunks[i].Tokens = i+1, 10+i
	}

	mail := document("letters.mbox#1843-07@example.org", "Dear Babbage,\r\nI am working very hard for you.\r\n> The engine is not ready.\r\nA. L.\r\n", winnow.Metadata{"from": "ada@example.org", "thread": true})
	mail.Title, mail.Path = "Re: the engine’s notes", "letters.mbox"
	mail.Links = []winnow.Link{{Kind: winnow.LinkReply, Target: "<1843-06@example.org>", At: 0}}

	code := document("src/server.go", "package server\n\n// NewServer listens.\nfunc NewServer(addr string) *Server { return nil }\n", winnow.Metadata{"language": "go", "lines": int64(4)})
	code.Names = []string{"server.NewServer"}
	code.Links = []winnow.Link{{Kind: winnow.LinkImport, Target: "net/http", At: 0}, {Kind: winnow.LinkCitation, Target: "[1]", At: 20}}

	var many []*winnow.Document
	for i := range 150 {
		many = append(many, document(fmt.Sprintf("many/%03d", i), fmt.Sprintf("engine number %d is a %s\n", i, words[i%20]), winnow.Metadata{"n": int64(i % 7)}))
	}
	return []frozenCommit{
		{put: append([]*winnow.Document{ada, menabrea, engine, document("obsolete", "to be replaced by another text", nil), document("gone", "to be deleted: the engine", nil)}, many...)},
		{put: []*winnow.Document{mail, code, document("obsolete", "the new text of the engine", winnow.Metadata{"version": int64(2)}), document("a", "first|second", nil), document("a_1", "an id like a chunk's", nil)}, delete: []string{"gone", "many/007", "many/140"}},
		{put: []*winnow.Document{document("text/日本.txt", "東京都は日本の首都です。Straße, café, naïve, O’Brien’s ёлка\n", nil), {ID: "empty", Title: "An empty document"}, document("bytes", "not UTF-8: \xff\xfe end", nil)}, delete: []string{"many/008", "no such"}},
	}
}

// frozenAnswers asks about everything and writes down what may never change, in
// lines of its own format. Scores are rounded, because the logarithm differs
// between processors in the last bit.
func frozenAnswers(t *testing.T, ix *index.Index) []byte {
	t.Helper()
	ctx := context.Background()
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if err := snap.Check(ctx); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	ask := func(err error, format string, args ...any) {
		if err != nil {
			t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
		}
		fmt.Fprintf(&out, format+"\n", args...)
	}
	for _, q := range []winnow.Query{
		{Text: "who wrote the first program for the analytical engine", K: 5},
		{Text: "engine", K: 12},
		{Text: "engine number castle", K: 6, Scope: winnow.Scope{Path: "many/*", Where: json.RawMessage(`{"n": {"$in": [1, 2]}}`)}},
		{Text: "engine", K: 9, Scope: winnow.Scope{Where: json.RawMessage(`{"$or": [{"rating": {"$gt": 4}}, {"built": false}, {"version": 2}]}`)}},
		{Text: "engine", K: 9, Scope: winnow.Scope{Where: json.RawMessage(`{"field": "computing"}`)}},
		{Text: "ada", K: 9, Scope: winnow.Scope{WhereDocument: json.RawMessage(`{"$regex": "(?i)babbage"}`), ExcludeDocuments: []string{"people/menabrea.md"}}},
		{Text: "NewServer"}, {Text: "日本 首都"}, {Text: "strasse cafe naive obrien"}, {Text: "empty"}, {Text: "deleted replaced"},
	} {
		q.Legs, q.Rerank, q.Explain = []winnow.Leg{winnow.LegBM25}, "off", true
		r, err := snap.Search(ctx, index.Request{Query: q})
		ask(err, "search %q %d %s%s%s", q.Text, q.K, q.Scope.Path, q.Scope.Where, q.Scope.WhereDocument)
		for _, h := range r.Hits {
			ask(nil, "  %s %.6f %q", h.ID, h.Score, h.Matched)
		}
	}
	for _, q := range []winnow.GrepQuery{
		{Pattern: `Babbage|Menabrea`}, {Pattern: `(?i)ENGINE$`}, {Pattern: `number 1[34]\d`}, {Pattern: `.`, Limit: 5}, {Pattern: `首都`}, {Pattern: `^func New`}, {Pattern: `end$`},
		{Pattern: `engine`, Chunks: 3, Scope: winnow.Scope{Path: "people/*"}},
	} {
		m, err := snap.Grep(ctx, q)
		ask(err, "grep %q %d %d %s", q.Pattern, q.Limit, q.Chunks, q.Scope.Path)
		for _, x := range m.Matches {
			ask(nil, "  %s %d %q", x.Chunk.ID, x.Line, x.Text)
		}
		ask(nil, "  truncated %v", m.Truncated)
	}
	for _, q := range []winnow.ReadQuery{
		{ID: "people/ada.md"}, {ID: "people/ada.md_1"}, {ID: "people/ada.md:3"}, {ID: "people/ada.md", Heading: "notes"}, {ID: "people/menabrea.md"}, {ID: "things/engine.pdf", Page: 2},
		{ID: "letters.mbox#1843-07@example.org"}, {ID: "src/server.go"}, {ID: "obsolete"}, {ID: "a_1"}, {ID: "a_1_0"}, {ID: "text/日本.txt"}, {ID: "empty"}, {ID: "bytes"}, {ID: "many/149"},
	} {
		d, err := snap.Read(ctx, q)
		ask(err, "read %s %d %s", q.ID, q.Page, q.Heading)
		ask(nil, "  %s %q %q%s %q %v", d.ID, d.Title, d.Path, values(d.Metadata), d.Names, d.Links)
		for _, c := range d.Chunks {
			ask(nil, "  %s %s %d %q %q %v %d %q %d %d%s %q", c.ID, c.Document, c.Ordinal, c.Title, c.Path, c.Lines, c.Page, c.Heading, c.Tokens, c.Start, values(c.Metadata), c.Text)
		}
	}
	for _, id := range []string{"gone", "many/007", "many/008", "a_2"} {
		if _, err := snap.Read(ctx, winnow.ReadQuery{ID: id}); winnow.CodeOf(err) != winnow.NotFound {
			t.Errorf("reading %s gives %v", id, err)
		}
	}
	d, err := snap.Describe(ctx)
	ask(err, "describe %d %d", d.Documents, d.Chunks)
	ask(nil, "  %v\n  %v", d.Folders, d.Headings)
	for _, k := range d.Keys {
		ask(nil, "  %s %d %v", k.Key, k.Count, k.Values)
	}
	blob, err := snap.Blob("files")
	ask(err, "blob %s", blob)
	return out.Bytes()
}

func values(m winnow.Metadata) (all string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all += fmt.Sprintf(" %s=%v(%T)", k, m[k], m[k])
	}
	return all
}
