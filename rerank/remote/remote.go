// Package remote asks a reranking service for the second opinion: any server
// that speaks the rerank call of Cohere and Jina (vLLM, llama.cpp and others do
// too), that of TEI, or vLLM's score call, behind which a Qwen3-Reranker says
// how probable its "yes" is.
//
// These services differ in the names of a few fields and in nothing else, so
// there is one client: the request is written in one of three shapes and the
// reply is read in all of them at once. A reply is used whole or not at all:
// every document must come back once with a finite score, because a ranking
// made of half a batch looks like a good one. What was traded away is what only
// some services have, such as limits on the results or texts sent back.
//
// A cross-encoder scores each document by itself, so candidates are sent in
// batches, several at a time. A model that compares the documents of a call with
// each other should get them in one: set [Options.Batch] for it.
package remote

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/token"
)

// Options of a reranker. Only the URL is needed.
type Options struct {
	// URL is the endpoint: https://api.example.com/v2/rerank,
	// http://localhost:8000/score. To one that ends in no endpoint's name
	// "/rerank" is added.
	URL string
	// Model is named in every request; empty where the server has only one.
	Model string
	// Key is sent as the bearer token. It is in no error and in nothing stored.
	Key string
	// Shape is the form of requests; empty means that the URL tells.
	Shape Shape
	// Prompt is how query and document are worded for the model; empty means
	// Qwen3 for a model of that name behind a score call, else as they are.
	Prompt Prompt
	// Instruction tells a prompted model what makes a document relevant; empty
	// means: it helps to answer the query.
	Instruction string
	// MaxTokens bounds the query, and each document with its title and heading.
	// 0 means 1,024, which leaves every chunk whole.
	MaxTokens int
	// Batch is the number of documents in one call. 0 means 100, for which
	// Cohere bills one search, or 32 where the server may be TEI, which refuses
	// more unless it is told otherwise.
	Batch int
	// Parallel is the number of calls under way at a time; 0 means 4.
	Parallel int
	// Timeout is that of one call; 0 means 30 seconds.
	Timeout time.Duration
	// Attempts bounds how often a call is made if the server is overloaded or
	// the connection breaks; 0 means 4.
	Attempts int
}

// Reranker is a [winnow.Reranker] behind HTTP. It is safe for concurrent use.
type Reranker struct {
	o        Options
	endpoint *url.URL
	client   *http.Client
	// tei is set once a server whose URL leaves it open took TEI's shape.
	tei atomic.Bool
	// sleep waits between attempts.
	sleep func(context.Context, time.Duration) error
}

// New returns a reranker. It does not call the server.
func New(o Options) (*Reranker, error) {
	at, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	o.Key = strings.TrimSpace(o.Key)
	if err := o.check(at); err != nil {
		return nil, err
	}
	return &Reranker{o: o, endpoint: at, client: &http.Client{CheckRedirect: stay}, sleep: endpoint.Sleep}, nil
}

// check completes the options, or says which can't be used.
func (o *Options) check(endpoint *url.URL) error {
	switch o.Shape {
	case "", Cohere, TEI, Score:
	default:
		return &winnow.Error{Code: winnow.BadInput, Message: "there is no shape of rerank requests called " + string(o.Shape),
			Hint: "cohere, tei or score"}
	}
	switch o.Prompt {
	case "":
		o.Prompt = Plain
		if shapeOf(endpoint, o.Shape) == Score && strings.Contains(strings.ToLower(o.Model), "qwen3-reranker") {
			o.Prompt = Qwen3
		}
	case Plain, Qwen3:
	default:
		return &winnow.Error{Code: winnow.BadInput, Message: "there is no prompt for rerankers called " + string(o.Prompt), Hint: "plain or qwen3"}
	}
	if o.Instruction != "" && o.Prompt == Plain {
		return &winnow.Error{Code: winnow.BadInput, Message: "the reranker has an instruction, and its model is sent none",
			Hint: "the prompt qwen3, or no instruction"}
	}
	if o.Instruction == "" {
		o.Instruction = defaultInstruction
	}
	for _, n := range []struct {
		value    *int
		standard int
	}{{&o.MaxTokens, 1024}, {&o.Parallel, 4}, {&o.Attempts, 4}} {
		if *n.value <= 0 {
			*n.value = n.standard
		}
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	return nil
}

// Name is the model's, or the server's where no model is named.
func (r *Reranker) Name() string {
	if r.o.Model != "" {
		return r.o.Model
	}
	return r.endpoint.Host
}

// Rerank implements [winnow.Reranker]. A hit without any text is not sent and
// scores as low as the lowest. The error is the context's if that ended the
// call, else a *winnow.Error.
func (r *Reranker) Rerank(ctx context.Context, query string, hits []winnow.Hit) ([]float64, error) {
	query = token.Cut(strings.TrimSpace(query), r.o.MaxTokens)
	if query == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "there is nothing to rerank by: the query is empty", Hint: "a query with words"}
	}
	var texts []string
	var owners []int
	for i := range hits {
		if text := r.document(&hits[i].Chunk); text != "" {
			texts, owners = append(texts, text), append(owners, i)
		}
	}
	found, err := r.score(ctx, query, texts)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(hits))
	if len(found) == 0 {
		return scores, nil
	}
	lowest := slices.Min(found)
	for i := range scores {
		scores[i] = lowest
	}
	for i, owner := range owners {
		scores[owner] = found[i]
	}
	return scores, nil
}

// score returns the score of each text. The first batch that fails ends the
// others.
func (r *Reranker) score(caller context.Context, query string, texts []string) ([]float64, error) {
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	scores := make([]float64, len(texts))
	slots := make(chan struct{}, r.o.Parallel)
	var wg sync.WaitGroup
	size := r.batchSize()
	for start := 0; start < len(texts); start += size {
		end := min(start+size, len(texts))
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := r.scoreBatch(ctx, query, texts[start:end], scores[start:end]); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return scores, context.Cause(ctx)
}

var _ winnow.Reranker = (*Reranker)(nil)
