package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// open commits documents, a few per segment, and returns a snapshot of them.
func open(t *testing.T, docs ...*winnow.Document) *index.Snapshot {
	t.Helper()
	ctx := context.Background()
	ix, err := index.Create(t.TempDir(), index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for batch := range slices.Chunk(docs, max(1, (len(docs)+2)/3)) {
		for _, d := range batch {
			if err := w.Put(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Close(); ix.Close() })
	return snap
}

// document cuts a text into chunks, which are separated by "|" in it.
func document(id, text string, meta winnow.Metadata) *winnow.Document {
	d := &winnow.Document{ID: id, Path: id, Metadata: meta}
	start, line := 0, 1
	for n, part := range strings.Split(text, "|") {
		last := line + strings.Count(strings.TrimSuffix(part, "\n"), "\n")
		d.Chunks = append(d.Chunks, winnow.Chunk{Ordinal: n, Text: part, Start: start, Lines: [2]int{line, last}})
		start += len(part)
		line += strings.Count(part, "\n")
	}
	return d
}

// lineTexts have what makes lines and letters hard.
var lineTexts = []string{
	"The quick brown fox\njumps over the LAZY dog.\n", "func NewServer(addr string) *Server {\n\treturn nil\n}\n", "\n", "\n\n", "no newline at the end",
	"windows\r\nlines\r\n", "Straße und Fluß\n", "K is the Kelvin sign, ſ the long s\n", "日本語のテキスト\n", "tab\tand  spaces   \n",
	"foo bar foo bar foo\nfoobar\nfoo.bar\n", "a\nb\nc\n", "aaa aaaa aaaaa\n", "x=1; y=22; z=333\n", "mail@example.org, +49 30 1234\n", "ends in\nspace \n \n", "split in the | middle of a line\n",
	"bad \xff bytes \xc3\n", "error: timeout\nERROR: Timeout\nwarning\n",
}

func grepCorpus(r *rand.Rand) (docs []*winnow.Document) {
	for i := range 60 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(lineTexts[r.IntN(len(lineTexts))])
			if r.IntN(3) == 0 {
				b.WriteString("|")
			}
		}
		id := fmt.Sprintf("%c/%02d.txt", 'a'+i%3, r.IntN(1000))
		if !slices.ContainsFunc(docs, func(d *winnow.Document) bool { return d.ID == id }) {
			docs = append(docs, document(id, b.String(), winnow.Metadata{"n": int64(i % 5)}))
		}
	}
	return docs
}

type line struct {
	chunk string
	n     int
	text  string
}

// scan is grep without an index: for each line of each chunk, does a match begin
// in it?
func scan(docs []*winnow.Document, pattern string, keep func(*winnow.Document, *winnow.Chunk) bool) (found []line) {
	re := regexp.MustCompile("(?m)" + pattern)
	docs = slices.SortedFunc(slices.Values(docs), func(a, b *winnow.Document) int { return strings.Compare(a.ID, b.ID) })
	for _, d := range docs {
		for i := range d.Chunks {
			c := &d.Chunks[i]
			if keep != nil && !keep(d, c) {
				continue
			}
			matches := re.FindAllStringIndex(c.Text, -1)
			at := 0
			for n, text := range strings.SplitAfter(c.Text, "\n") {
				if text == "" && c.Text != "" { // after the last newline
					break
				}
				body, ended := strings.CutSuffix(text, "\n")
				end := at + len(body)
				if slices.ContainsFunc(matches, func(m []int) bool { return at <= m[0] && m[0] <= end && (ended || m[0] < end || m[0] == len(c.Text)) }) {
					found = append(found, line{winnow.ChunkID(d.ID, i), c.Lines[0] + n, strings.TrimSuffix(body, "\r")})
				}
				at += len(text)
			}
		}
	}
	return found
}

func lines(m *winnow.Matches) (found []line) {
	for _, x := range m.Matches {
		found = append(found, line{x.Chunk.ID, x.Line, x.Text})
	}
	return found
}

// difference names the first line that differs.
func difference(got, want []line) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("nothing, want %v", want[i])
		case i >= len(want) || got[i] != want[i]:
			return fmt.Sprintf("%v after %d lines", got[i], i)
		}
	}
	return "the same"
}

var patterns = []string{
	`fox`, `(?i)lazy`, `LAZY`, `(?i)STRASSE|straße`, `^foo`, `foo$`, `^foo$`, `foo.bar`, `foo\.bar`, `(foo|bar)+`, `\bfoo\b`, `func New[A-Z]\w*\(`,
	`^$`, `^`, `$`, ``, `.`, `.*`, `x*`, `a`, `aa`, `a{3}`, `a{4,}`, `\d+`, `\d{3}`, `[^\n]+`, `[^x]+`, `\s+$`, ` $`, `^\s*$`, `^.$`, `\n\n`, `dog\.\nfunc`,
	`(?i)k`, `(?i)s`, `(?i)error: timeout`, `error|warning`, `日本`, `テキスト$`, `[а-я]`, `\x{ff}`, `\xff`, `(?-m)^The`, `\AThe`, `end\z`, `(?s)quick.*dog`, `(?U)fo.*o`,
	`zzz`, `foo|`, `|foo`, `(?:)`, `\Bo\B`, `lines$`, `lines\r$`, `mail@[a-z]+\.org`, `split`, `middle`, `the \z`, `[[:upper:]]{4}`, `\p{Greek}`, `(?i)ſ`, `(?i)K`,
}

func TestGrepEqualsAScan(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(3) {
		docs := grepCorpus(rand.New(rand.NewPCG(15, seed)))
		snap := open(t, docs...)
		for _, p := range patterns {
			got, err := snap.Grep(ctx, winnow.GrepQuery{Pattern: p, Limit: 1 << 20})
			if err != nil {
				t.Fatalf("%q: %v", p, err)
			}
			if want := scan(docs, p, nil); !slices.Equal(lines(got), want) {
				t.Errorf("%q finds %s", p, difference(lines(got), want))
			}
			if got.Truncated {
				t.Errorf("%q: truncated", p)
			}
		}
	}
}

func TestGrepStaysInScope(t *testing.T) {
	ctx := context.Background()
	docs := grepCorpus(rand.New(rand.NewPCG(15, 9)))
	snap := open(t, docs...)
	for _, c := range []struct {
		about string
		scope winnow.Scope
		keep  func(*winnow.Document, *winnow.Chunk) bool
	}{
		{"path", winnow.Scope{Path: "b/*"}, func(d *winnow.Document, _ *winnow.Chunk) bool { return path.Dir(d.ID) == "b" }},
		{"where", winnow.Scope{Where: json.RawMessage(`{"n": {"$gte": 3}}`)}, func(d *winnow.Document, _ *winnow.Chunk) bool { return d.Metadata["n"].(int64) >= 3 }},
		{"text", winnow.Scope{WhereDocument: json.RawMessage(`{"$contains": "fox"}`)}, func(_ *winnow.Document, c *winnow.Chunk) bool { return strings.Contains(c.Text, "fox") }},
		{"documents left out", winnow.Scope{ExcludeDocuments: []string{docs[0].ID, docs[7].ID, "no such"}}, func(d *winnow.Document, _ *winnow.Chunk) bool { return d != docs[0] && d != docs[7] }},
		{"chunks left out", winnow.Scope{ExcludeChunks: []string{winnow.ChunkID(docs[1].ID, 0), "no such_0"}}, func(d *winnow.Document, c *winnow.Chunk) bool { return d != docs[1] || c.Ordinal > 0 }},
	} {
		for _, p := range []string{`foo`, `.`, `(?i)error`} {
			got, err := snap.Grep(ctx, winnow.GrepQuery{Pattern: p, Limit: 1 << 20, Scope: c.scope})
			if err != nil {
				t.Fatal(err)
			}
			if want := scan(docs, p, c.keep); !slices.Equal(lines(got), want) {
				t.Errorf("%s, %q finds %s", c.about, p, difference(lines(got), want))
			}
		}
	}
}

func TestGrepLimitsCutTheTail(t *testing.T) {
	ctx := context.Background()
	docs := grepCorpus(rand.New(rand.NewPCG(15, 4)))
	snap := open(t, docs...)
	all := scan(docs, "o", nil)
	if len(all) < 20 {
		t.Fatalf("only %d lines to cut", len(all))
	}
	for _, limit := range []int{1, 2, 10, len(all) - 1, len(all), len(all) + 1} {
		for _, chunks := range []int{0, 1, 3, 1000} {
			want := all[:min(limit, len(all))]
			if chunks > 0 {
				seen := map[string]bool{}
				for i, l := range want {
					if seen[l.chunk] = true; len(seen) > chunks {
						want = want[:i]
						break
					}
				}
			}
			got, err := snap.Grep(ctx, winnow.GrepQuery{Pattern: "o", Limit: limit, Chunks: chunks})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(lines(got), want) || got.Truncated != (len(want) < len(all)) {
				t.Errorf("%d lines of %d chunks: got %d, truncated %v, want %d of %d", limit, chunks, len(got.Matches), got.Truncated, len(want), len(all))
			}
		}
	}
}

func TestGrepReturnsAThousandLinesUnlessAsked(t *testing.T) {
	snap := open(t, document("long.txt", strings.Repeat("line\n", 1500), nil))
	got, err := snap.Grep(context.Background(), winnow.GrepQuery{Pattern: "line"})
	if err != nil || len(got.Matches) != 1000 || !got.Truncated {
		t.Errorf("%d lines, truncated %v, %v", len(got.Matches), got.Truncated, err)
	}
}

func TestGrepSaysWhenItReadAllText(t *testing.T) {
	ctx := context.Background()
	snap := open(t, document("a.txt", "some text\n", nil))
	for pattern, warned := range map[string]bool{`text`: false, `so.*xt`: true, `.*`: true, `\d`: true, `te`: true, `(?i)TEXT|more`: false} {
		got, err := snap.Grep(ctx, winnow.GrepQuery{Pattern: pattern})
		if err != nil || (len(got.Warnings) > 0) != warned {
			t.Errorf("%q warns %q, %v", pattern, got.Warnings, err)
		}
	}
	empty, err := open(t).Grep(ctx, winnow.GrepQuery{Pattern: ".*"})
	if err != nil || len(empty.Warnings) > 0 || empty.Matches == nil {
		t.Errorf("an empty index gives %+v, %v", empty, err)
	}
}

func TestGrepMatchesCarryTheirChunk(t *testing.T) {
	snap := open(t, document("a.txt", "one\ntwo\n|three\nfour\n", winnow.Metadata{"k": "v"}))
	got, err := snap.Grep(context.Background(), winnow.GrepQuery{Pattern: "four"})
	if err != nil || len(got.Matches) != 1 {
		t.Fatal(got, err)
	}
	m := got.Matches[0]
	if m.Line != 4 || m.Text != "four" || m.Chunk.ID != "a.txt_1" || m.Chunk.Document != "a.txt" || m.Chunk.Path != "a.txt" ||
		m.Chunk.Ordinal != 1 || m.Chunk.Text != "three\nfour\n" || m.Chunk.Start != 8 || m.Chunk.Metadata["k"] != "v" {
		t.Errorf("got %+v", m)
	}
}

func TestGrepRefusesBadPatterns(t *testing.T) {
	snap := open(t, document("a.txt", "text", nil))
	for _, p := range []string{`(`, `[z-a]`, `a**`, `(?=x)`, `\1`, strings.Repeat("a", 1001), `(.{0,500}){2}(.{0,900}){1}.{0,1000}`} {
		_, err := snap.Grep(context.Background(), winnow.GrepQuery{Pattern: p})
		var e *winnow.Error
		if !errors.As(err, &e) || e.Code != winnow.BadPattern || e.Hint == "" || strings.Contains(e.Message, "\n") {
			t.Errorf("%.20q gives %v, want a sentence and a hint", p, err)
		}
	}
}

func TestGrepStopsWhenItsCallerDoes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := open(t, document("a.txt", "text", nil)).Grep(ctx, winnow.GrepQuery{Pattern: "text"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
