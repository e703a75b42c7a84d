package chroma_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/embed/minilm"
	"github.com/winnow-search/winnow/index"
)

// embedded is a text with the vector that Chroma's default function makes of it:
// testdata/default.py says how they were made.
type embedded struct {
	text   string
	vector winnow.Vector
}

// whole is how many of them are read to the end: the function stops after 256
// pieces.
const whole = 9

const defaultVectors = "testdata/default.jsonl"

func byDefault(t *testing.T) (all []embedded) {
	t.Helper()
	data, err := os.ReadFile(defaultVectors)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var line struct {
			Text   string `json:"text"`
			Vector []byte `json:"vector"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		e := embedded{line.Text, make(winnow.Vector, len(line.Vector)/4)}
		if err := binary.Read(bytes.NewReader(line.Vector), binary.LittleEndian, e.vector); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func miniLM(t *testing.T) *minilm.Model {
	t.Helper()
	m, err := minilm.New(minilm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOurVectorsAreThoseOfChromasDefault(t *testing.T) {
	m := miniLM(t)
	for _, e := range byDefault(t)[:whole] {
		own, err := m.Embed(t.Context(), []string{e.text})
		if err != nil || len(own[0]) != 1 {
			t.Fatalf("%q has %d vectors (%v)", e.text, len(own[0]), err)
		}
		cos := 0.0
		for i, x := range own[0][0] {
			cos += float64(x) * float64(e.vector[i])
		}
		if cos < 0.998 {
			t.Errorf("%q: the cosine is %.4f", e.text, cos)
		}
	}
}

// upsert writes records into a collection as any program may.
func upsert(t *testing.T, server, id string, body map[string]any) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.Replace(server, "chroma://", "http://", 1) + "/api/v2/tenants/default_tenant/databases/default_database/collections/" + id + "/upsert"
	resp, err := http.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		t.Fatalf("the server answers %s", resp.Status)
	}
}

// Chroma cuts a long text and Winnow takes windows of it: the check must know
// both, or the default collections of everybody with long chunks are refused.
func TestACollectionOfChromasDefaultIsAccepted(t *testing.T) {
	m := miniLM(t)
	servers(t, func(t *testing.T, server string) {
		for name, some := range map[string][]embedded{"short": byDefault(t)[:whole], "long": byDefault(t)[whole:]} {
			client := dial(t, server, names()(), chroma.Options{})
			c, err := client.Make(t.Context(), nil, chroma.Function{Type: "known", Name: "default", Config: map[string]any{}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { client.Drop(context.Background()) })
			var ids, texts []string
			var vectors []winnow.Vector
			for i, e := range some {
				ids, texts, vectors = append(ids, fmt.Sprint(name, i)), append(texts, e.text), append(vectors, e.vector)
			}
			upsert(t, server, c.ID, map[string]any{"ids": ids, "documents": texts, "embeddings": vectors})
			if c, err = client.Collection(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.Check(t.Context(), m, chroma.Layout{}); err != nil || c.Embedder() != "default" {
				t.Errorf("%s texts: made by %q, and %v", name, c.Embedder(), err)
			}
		}
	})
}

// pythonClient fills a collection as a program of Chroma's users does. The
// vectors are given, since the model of the default function has to be
// downloaded; which function it is is recorded all the same.
const pythonClient = `
import base64, json, struct, sys
import chromadb
host, port, name, path = sys.argv[1:]
rows = [json.loads(line) for line in open(path)]
vectors = [base64.b64decode(row["vector"]) for row in rows]
collection = chromadb.HttpClient(host=host, port=int(port)).create_collection(name)
collection.add(
    ids=["note-%d" % i for i in range(len(rows))],
    documents=[row["text"] for row in rows],
    metadatas=[{"nr": i} for i in range(len(rows))],
    embeddings=[list(struct.unpack("<%df" % (len(v) // 4), v)) for v in vectors],
)
`

func TestACollectionThatThePythonClientMadeIsSearched(t *testing.T) {
	server := realServer(t)
	bin := os.Getenv("WINNOW_TEST_CHROMA_BIN")
	if bin == "" {
		t.Skip("no Python with Chroma's client beside WINNOW_TEST_CHROMA_BIN: .ci/chroma has one")
	}
	name := names()()
	host, port, _ := strings.Cut(strings.TrimPrefix(server, "chroma://"), ":")
	out, err := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(bin), "python3"), "-c", pythonClient, host, port, name, defaultVectors).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	client := dial(t, server, name, chroma.Options{})
	t.Cleanup(func() { client.Drop(context.Background()) })
	c, err := client.Collection(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := miniLM(t)
	if err := c.Check(t.Context(), m, chroma.Layout{}); err != nil || c.Embedder() != "default" {
		t.Fatalf("made by %q, and %v", c.Embedder(), err)
	}
	corpus := opened(t, c, chroma.CorpusOptions{Collection: name, Embedder: m, Ranker: index.Unranked})
	for text, want := range map[string]string{"who owns the fruit garden": "note-0", "cold nights in late spring": "note-1", "adding up integers in a loop": "note-5"} {
		r, err := corpus.Search(t.Context(), winnow.Query{Text: text, K: 1, Legs: []winnow.Leg{winnow.LegDense}})
		if err != nil || len(r.Warnings) != 0 || len(r.Hits) != 1 || r.Hits[0].Document != want && r.Hits[0].ID != want {
			t.Errorf("%q finds %+v (%v), want %s", text, r, err, want)
		}
	}
}
