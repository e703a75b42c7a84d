// Package remote embeds text with a model on a server that speaks OpenAI's
// /v1/embeddings: vLLM, TEI, Ollama, OpenAI itself.
//
// A wrong vector is worse than none, because it is stored and found wanting much
// later. So a reply is taken whole or not at all: one vector per text, each of
// the one length, finite and not zero. What was traded away is everything that
// only one of the servers has; texts are cut to a window here, because what a
// server does with a text that is too long differs from one to the next.
package remote

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// Options configure an embedder.
type Options struct {
	// BaseURL is where the API begins, as in http://localhost:8000/v1.
	BaseURL string
	// Model is the model's name on the server. It names the vector space too.
	Model string
	// Key is sent as a bearer token. Empty sends none.
	Key string
	// Dim is the length of the model's vectors; replies of another are refused.
	// 0 takes the length of the first.
	Dim int
	// Batch is how many windows go into one request. 0 means 64.
	Batch int
	// Parallel is how many requests are under way at a time. 0 means 4.
	Parallel int
	// Window is the length in bytes at which texts are cut, each part with a
	// vector of its own. 0 means 2,000: 512 tokens, which every model takes.
	Window int
	// Attempts is how often a request is sent before it has failed. 0 means 5.
	Attempts int
	// Timeout bounds one attempt. 0 means a minute.
	Timeout time.Duration
	// Client sends the requests. Nil means a client that follows no redirects:
	// texts and key stay with the server they were meant for.
	Client *http.Client
}

// Embedder embeds text on a server. It is safe for concurrent use.
type Embedder struct {
	o        Options
	endpoint *url.URL
	dim      atomic.Int64 // 0 until known
	sleep    func(context.Context, time.Duration) error
}

// New returns an embedder. The server is not asked before the first text.
func New(o Options) (*Embedder, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the embedder's URL can't be used",
			Hint: "a base URL such as http://localhost:8000/v1"}
	}
	if o.Model == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the embedder needs the name of a model",
			Hint: "the name under which the server has it"}
	}
	o.Batch = defaulted(o.Batch, 64)
	o.Parallel = defaulted(o.Parallel, 4)
	o.Window = defaulted(o.Window, 2000)
	o.Attempts = defaulted(o.Attempts, 5)
	o.Timeout = defaulted(o.Timeout, time.Minute)
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	e := &Embedder{o: o, endpoint: u.JoinPath("embeddings"), sleep: endpoint.Sleep}
	e.dim.Store(int64(o.Dim))
	return e, nil
}

func defaulted[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// Name implements [winnow.Embedder]: the model, wherever it runs, and the cut.
func (e *Embedder) Name() string { return fmt.Sprintf("%s/w%d", e.o.Model, e.o.Window) }

// Dim implements [winnow.Embedder]. It is 0 as long as it was neither set nor
// seen in a reply.
func (e *Embedder) Dim() int { return int(e.dim.Load()) }

// Embed implements [winnow.Embedder]. A text longer than the window has a vector
// for each of up to [MaxWindows] windows.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	vectors := make([][]winnow.Vector, len(texts))
	var windows []string
	var places []*winnow.Vector
	for i, text := range texts {
		parts := cut(text, e.o.Window)
		vectors[i] = make([]winnow.Vector, len(parts))
		for j, part := range parts {
			windows, places = append(windows, part), append(places, &vectors[i][j])
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	under := make(chan struct{}, e.o.Parallel)
	for first := 0; first < len(windows) && ctx.Err() == nil; first += e.o.Batch {
		last := min(first+e.o.Batch, len(windows))
		under <- struct{}{}
		wg.Go(func() {
			defer func() { <-under }()
			batch, err := e.embed(ctx, windows[first:last])
			if err != nil {
				cancel(err)
				return
			}
			for i, v := range batch {
				*places[first+i] = v
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return vectors, nil
}

// embed sends one batch.
func (e *Embedder) embed(ctx context.Context, windows []string) ([]winnow.Vector, error) {
	body, err := e.post(ctx, request{Model: e.o.Model, Input: windows, Format: "float"})
	if err != nil {
		return nil, err
	}
	vectors, err := parse(body, len(windows))
	if err != nil {
		return nil, e.unusable(err)
	}
	for _, v := range vectors {
		e.dim.CompareAndSwap(0, int64(len(v)))
		if len(v) != e.Dim() {
			return nil, &winnow.Error{Code: winnow.BadInput,
				Message: fmt.Sprintf("the embedder at %s sends %d dimensions instead of %d", e.place(), len(v), e.Dim()),
				Hint:    "the model that the collection was embedded with, or a new collection"}
		}
	}
	return vectors, nil
}

// MaxWindows bounds the vectors of one text; what lies beyond is not embedded.
const MaxWindows = 16

// cut parts a text into windows of at most size bytes, between words where there
// is a space in the window's second half.
func cut(text string, size int) []string {
	var parts []string
	for text = strings.TrimSpace(text); text != "" && len(parts) < MaxWindows; text = strings.TrimSpace(text) {
		end := len(text)
		if end > size {
			end = size
			if space := strings.LastIndexAny(text[:end], " \t\n"); space > size/2 {
				end = space
			}
			for end > 1 && text[end]&0xC0 == 0x80 { // inside a character
				end--
			}
		}
		parts = append(parts, text[:end])
		text = text[end:]
	}
	return parts
}

var _ winnow.Embedder = (*Embedder)(nil)
