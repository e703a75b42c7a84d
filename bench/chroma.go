package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/rerank"
)

// chromaServer is where the benchmark finds the server that it is run beside.
const chromaServer = "WINNOW_TEST_CHROMA"

const (
	chromaRollouts = 32
	// chromaNear is what a search asks the server for, and so do the raw calls;
	// chromaTop is how many passages it returns with their texts, as an agent's
	// does. chromaMany is how many a program that shows texts may want: there raw
	// calls ask for texts and metadata too, since otherwise they get less.
	chromaNear = 64
	chromaTop  = 10
	chromaMany = 50
)

// chromaSearch measures what Winnow costs over the calls that it makes to a real
// Chroma server, and whether many rollouts at once leave anything behind.
func chromaSearch(ctx context.Context, quick bool, r *report) error {
	server := os.Getenv(chromaServer)
	if server == "" {
		return besideChroma(ctx)
	}
	n, embedded, rounds, span := 20_000, 2_000, 9, 2*time.Minute
	if quick {
		n, embedded, rounds, span = 5_000, 300, 5, 10*time.Second
	}
	b, err := newChromaBench(ctx, server, n, embedded, r)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.throughput(rounds, r); err != nil {
		return err
	}
	return b.rollouts(ctx, span, r)
}

// besideChroma runs this program again with a server beside it.
func besideChroma(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join("..", ".ci", "chroma"), append([]string{self}, os.Args[1:]...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	os.Exit(0) // the other has reported
	return nil
}

// chromaBench is a collection with its companion.
type chromaBench struct {
	client     *chroma.Client
	collection *chroma.Collection
	corpus     *chroma.Corpus
	dir        string
	query      string // the URL of raw calls
	raw        *http.Client
	questions  []string
	vectors    map[string]winnow.Vector
}

// knowing is an embedder that knows the questions, so that what is measured is the
// search.
type knowing struct {
	*jittered
	of map[string]winnow.Vector
}

func (a knowing) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	if len(texts) == 1 && a.of[texts[0]] != nil {
		return [][]winnow.Vector{{a.of[texts[0]]}}, nil
	}
	return a.jittered.Embed(ctx, texts)
}

func newChromaBench(ctx context.Context, server string, n, embedded int, r *report) (b *chromaBench, err error) {
	texts, err := corpus.Open(n)
	if err != nil {
		return nil, err
	}
	cache, err := corpus.Dir()
	if err != nil {
		return nil, err
	}
	b = &chromaBench{vectors: map[string]winnow.Vector{}}
	if b.dir, err = os.MkdirTemp(cache, "chroma-*"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	var passages []corpus.Passage
	for p, err := range texts.Passages(n) {
		if err != nil {
			return nil, err
		}
		passages = append(passages, p)
	}
	if b.questions, err = texts.Questions(n, 200); err != nil {
		return nil, err
	}
	progress("embedding %d passages", embedded)
	j, err := newJittered(ctx, passages[:embedded])
	if err != nil {
		return nil, err
	}
	e := knowing{j, b.vectors}
	own, err := j.inner.Embed(ctx, b.questions)
	if err != nil {
		return nil, err
	}
	for i, q := range b.questions {
		b.vectors[q] = own[i][0]
	}
	a, err := chroma.ParseAddress(fmt.Sprintf("%s/bench-%d", server, time.Now().UnixNano()))
	if err != nil {
		return nil, err
	}
	if b.client, err = chroma.NewClient(a, chroma.Options{}); err != nil {
		return nil, err
	}
	if b.collection, err = b.client.Make(ctx, nil, chroma.Function{Type: "unknown"}); err != nil {
		return nil, err
	}
	progress("writing %d passages to Chroma", n)
	writing, err := timed(func() error { return b.write(ctx, e, passages) })
	if err != nil {
		return nil, err
	}
	if b.collection, err = b.client.Collection(ctx); err != nil {
		return nil, err
	}
	progress("following the collection")
	companion := chroma.NewCompanion(filepath.Join(b.dir, "companion"), chroma.CompanionOptions{})
	following, err := timed(func() error {
		_, err := companion.Sync(ctx, b.collection, chroma.SyncOptions{Embedder: e})
		return err
	})
	if err != nil {
		return nil, err
	}
	again, err := timed(func() error {
		_, err := companion.Sync(ctx, b.collection, chroma.SyncOptions{Embedder: e})
		return err
	})
	if err != nil {
		return nil, err
	}
	size, err := diskBytes(b.dir)
	if err != nil {
		return nil, err
	}
	ranker, err := rerank.Builtin(e.Name(), index.Features)
	if err != nil {
		return nil, err
	}
	if b.corpus, err = companion.Open(b.collection, chroma.CorpusOptions{Collection: "bench", Embedder: e, Ranker: ranker}); err != nil {
		return nil, err
	}
	b.raw = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * threads}}
	b.query = "http://" + a.Host + "/api/v2/tenants/default_tenant/databases/default_database/collections/" + b.collection.ID + "/query"
	r.table(fmt.Sprintf("A collection of %d passages × %d dimensions", n, e.Dim()), "\tseconds\tpassages/s",
		fmt.Sprintf("written (vectors given)\t%.1f\t%.0f", writing/1e3, float64(n)/writing*1e3),
		fmt.Sprintf("companion made, text and vectors\t%.1f\t%.0f", following/1e3, float64(n)/following*1e3),
		fmt.Sprintf("companion found to be in step\t%.3f\t", again/1e3),
		fmt.Sprintf("companion on disk\t%.0f bytes/passage\t", float64(size)/float64(n)))
	r.figure("chroma_write_per_s", float64(n)/writing*1e3)
	r.figure("chroma_sync_per_s", float64(n)/following*1e3)
	r.figure("chroma_companion_bytes", float64(size)/float64(n))
	return b, nil
}

func (b *chromaBench) write(ctx context.Context, e winnow.Embedder, passages []corpus.Passage) error {
	w := chroma.NewWriter(b.collection, e)
	for _, p := range passages {
		d := &winnow.Document{ID: p.ID, Title: p.Title, Chunks: []winnow.Chunk{{Text: p.Text, Lines: [2]int{1, 1 + strings.Count(p.Text, "\n")}}}}
		if err := w.Put(ctx, d); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

func (b *chromaBench) close() {
	if b.corpus != nil {
		b.corpus.Close()
	}
	if b.client != nil {
		b.client.Drop(context.Background())
		b.client.Close()
	}
	os.RemoveAll(b.dir)
}

// call is what a program does that asks Chroma itself for n records.
func (b *chromaBench) call(n int, include ...string) search {
	return func(q string) ([]string, error) {
		body, err := json.Marshal(map[string]any{"query_embeddings": []winnow.Vector{b.vectors[q]}, "n_results": n, "include": include})
		if err != nil {
			return nil, err
		}
		resp, err := b.raw.Post(b.query, "application/json", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		var out struct {
			IDs       [][]string         `json:"ids"`
			Documents [][]string         `json:"documents"`
			Metadatas [][]map[string]any `json:"metadatas"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || len(out.IDs) != 1 {
			return nil, errors.Join(fmt.Errorf("a raw call answers %d", resp.StatusCode), err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return out.IDs[0], err
	}
}

func (b *chromaBench) search(k int, legs ...winnow.Leg) search {
	return func(q string) ([]string, error) {
		got, err := b.corpus.Search(context.Background(), winnow.Query{Text: q, K: k, Legs: legs})
		if err == nil && len(got.Warnings) > 0 {
			err = errors.New(got.Warnings[0])
		}
		return nil, err
	}
}

// throughput asks the same questions as raw calls, by the dense leg alone, and
// by all legs, in turns: the machine may be busier in one minute than in the
// next.
func (b *chromaBench) throughput(rounds int, r *report) error {
	runs := []struct {
		name string
		find search
	}{
		{fmt.Sprintf("raw /query calls, %d ids", chromaNear), b.call(chromaNear, "distances")},
		{fmt.Sprintf("winnow, dense leg alone, %d passages", chromaTop), b.search(chromaTop, winnow.LegDense)},
		{fmt.Sprintf("raw /query calls, %d texts with metadata", chromaMany), b.call(chromaMany, "distances", "documents", "metadatas")},
		{fmt.Sprintf("winnow, dense leg alone, %d passages", chromaMany), b.search(chromaMany, winnow.LegDense)},
		{fmt.Sprintf("winnow, all legs and ranker, %d passages", chromaTop), b.search(chromaTop)},
	}
	qps := make([][]float64, len(runs))
	var overhead, ofTexts []float64
	progress("questions")
	for range rounds {
		for i, run := range runs {
			v, err := throughput(run.find, b.questions)
			if err != nil {
				return fmt.Errorf("%s: %w", run.name, err)
			}
			qps[i] = append(qps[i], v)
		}
		overhead, ofTexts = append(overhead, last(qps[0])/last(qps[1])), append(ofTexts, last(qps[2])/last(qps[3]))
	}
	rows := []string{"\tquestions/s"}
	for i, run := range runs {
		rows = append(rows, fmt.Sprintf("%s\t%.0f", run.name, median(qps[i])))
	}
	r.table(fmt.Sprintf("Searches of Chroma, %d threads, query vectors given; passages come with their texts and metadata", threads), rows...)
	r.figure("chroma_raw_qps", median(qps[0]))
	r.figure("chroma_dense_qps", median(qps[1]))
	r.figure("chroma_qps", median(qps[4]))
	r.figure("chroma_overhead", median(overhead))
	r.figure("chroma_overhead_texts", median(ofTexts))
	return nil
}

// roving is a policy that searches four things in each of four turns.
type roving struct{ questions []string }

func (roving) Name() string { return "roving" }
func (p roving) Next(_ context.Context, v *winnow.View) (a winnow.Action, err error) {
	if v.Turn > 4 {
		a.Answer = &winnow.Answer{}
		v.Chunks(func(p *winnow.Part) { a.Answer.Selected = append(a.Answer.Selected, winnow.Choice{ID: p.Name()}) })
		return a, nil
	}
	for i := range 4 {
		arguments, err := json.Marshal(map[string]string{"query": p.questions[4*(v.Turn-1)+i]})
		if err != nil {
			return a, err
		}
		a.Calls = append(a.Calls, winnow.Call{Tool: "search_corpus", Arguments: string(arguments)})
	}
	return a, nil
}

// rollouts runs many agents at once for a while.
func (b *chromaBench) rollouts(ctx context.Context, span time.Duration, r *report) error {
	progress("%d rollouts at once for %s", chromaRollouts, span)
	before := openFiles()
	var runs, searches, failures atomic.Int64
	start := time.Now()
	var wg sync.WaitGroup
	for t := range chromaRollouts {
		wg.Go(func() {
			for i := t; time.Since(start) < span && ctx.Err() == nil; i++ {
				p := roving{}
				for j := range 16 {
					p.questions = append(p.questions, b.questions[(7*i+13*j)%len(b.questions)])
				}
				got, err := agent.Do(ctx, agent.Options{Question: p.questions[0], Corpus: b.corpus, Policy: p})
				if err != nil || got.End().Ended != winnow.Concluded || len(got.End().Warnings) > 0 || len(got.End().Ranking) == 0 {
					failures.Add(1)
					continue
				}
				runs.Add(1)
				searches.Add(16)
			}
		})
	}
	wg.Wait()
	took := time.Since(start).Seconds()
	b.raw.CloseIdleConnections()
	b.client.Close()
	left := openFiles() - before
	r.table(fmt.Sprintf("%d rollouts at once for %s, 16 searches each", chromaRollouts, span), "\t",
		fmt.Sprintf("rollouts\t%d", runs.Load()), fmt.Sprintf("searches/s\t%.0f", float64(searches.Load())/took),
		fmt.Sprintf("failures and warnings\t%d", failures.Load()), fmt.Sprintf("files and connections left open\t%d", max(left, 0)))
	r.figure("chroma_searches_per_s", float64(searches.Load())/took)
	r.figure("chroma_errors", float64(failures.Load()))
	r.figure("chroma_connections_left", float64(max(left, 0)))
	return nil
}

// openFiles is how many files and connections the process has open, 0 where the
// system does not tell.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
