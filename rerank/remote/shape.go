package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/winnow-search/winnow"
)

// Shape is the form of a request.
type Shape string

const (
	// Cohere is {model, query, documents}, also that of Jina, vLLM and
	// llama.cpp.
	Cohere Shape = "cohere"
	// TEI is {query, texts} of text-embeddings-inference.
	TEI Shape = "tei"
	// Score is {model, text_1, text_2} of vLLM's score call.
	Score Shape = "score"
)

// rerankRequest has documents or texts.
type rerankRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents,omitempty"`
	Texts     []string `json:"texts,omitempty"`
	// Truncate lets TEI cut what exceeds its model's window; it refuses it
	// otherwise. The others cut unasked.
	Truncate bool `json:"truncate,omitempty"`
}

type scoreRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"text_1"`
	Documents []string `json:"text_2"`
}

// request is the body that asks for the scores of documents.
func (o *Options) request(shape Shape, query string, documents []string) ([]byte, error) {
	query, documents = o.Prompt.word(o.Instruction, query, documents)
	switch shape {
	case Score:
		return json.Marshal(scoreRequest{Model: o.Model, Query: query, Documents: documents})
	case TEI:
		return json.Marshal(rerankRequest{Model: o.Model, Query: query, Texts: documents, Truncate: true})
	default:
		return json.Marshal(rerankRequest{Model: o.Model, Query: query, Documents: documents})
	}
}

// parseURL reads an endpoint. Its errors leave out what the URL says before
// "@" and after "?", which may be a secret.
func parseURL(text string) (*url.URL, error) {
	const hint = "an address like http://localhost:8000/v1/rerank"
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the reranker's URL can't be read", Hint: hint, Err: err}
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the reranker's URL is not one of http or https", Hint: hint}
	}
	switch path.Base(u.Path) {
	case "rerank", "reranking", "score":
		return u, nil
	}
	return u.JoinPath("rerank"), nil
}

// versioned is the path of a rerank call that TEI does not have.
var versioned = regexp.MustCompile(`/v\d+/rerank/?$`)

// shapeOf is the shape of an endpoint if it is known before the first call, else
// "": a plain /rerank may be anyone's.
func shapeOf(endpoint *url.URL, chosen Shape) Shape {
	switch {
	case chosen != "":
		return chosen
	case path.Base(endpoint.Path) == "score":
		return Score
	case versioned.MatchString(endpoint.Path):
		return Cohere
	}
	return ""
}

func (r *Reranker) batchSize() int {
	if r.o.Batch > 0 {
		return r.o.Batch
	}
	if s := shapeOf(r.endpoint, r.o.Shape); s == Cohere || s == Score {
		return 100
	}
	return 32
}

// scoreBatch fills in the scores of documents by one call. Where the URL leaves
// the shape open, the commoner one is tried first; a server that wants the other
// refuses it for lack of a field, without having done any work.
func (r *Reranker) scoreBatch(ctx context.Context, query string, documents []string, scores []float64) error {
	shape := shapeOf(r.endpoint, r.o.Shape)
	open := shape == "" && !r.tei.Load()
	switch {
	case open:
		shape = Cohere
	case shape == "":
		shape = TEI
	}
	status, err := r.exchange(ctx, shape, query, documents, scores)
	if open && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) {
		if _, other := r.exchange(ctx, TEI, query, documents, scores); other == nil {
			r.tei.Store(true)
			return nil
		}
	}
	return err
}

// exchange makes one call and reads its reply.
func (r *Reranker) exchange(ctx context.Context, shape Shape, query string, documents []string, scores []float64) (status int, err error) {
	body, err := r.o.request(shape, query, documents)
	if err != nil {
		return 0, err
	}
	reply, status, err := r.post(ctx, body)
	if err != nil {
		return status, err
	}
	if err := readScores(reply, scores); err != nil {
		return status, r.unusable(err)
	}
	return status, nil
}
