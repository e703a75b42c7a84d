package remote

import (
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// Prompt is how query and document are put to the model.
type Prompt string

const (
	// Plain sends them as they are: to cross-encoders, which know no other form,
	// and to servers that word the prompt themselves, such as vLLM started with
	// the model's own score template.
	Plain Prompt = "plain"
	// Qwen3 wraps them in the turns that a Qwen3-Reranker expects. Without them
	// its scores are close to random, and a vLLM that was given no template adds
	// none: it puts the two texts one after the other.
	Qwen3 Prompt = "qwen3"
)

const (
	defaultInstruction = "Find the passages that help to answer the query"

	judge = `Decide whether the Document serves the Query in the way the Instruct describes. The only possible answers are "yes" and "no".`
)

// markers are what the model reads as structure. In a text they are only text,
// so they are broken up: a document can't end its own turn, or answer for the
// model.
var markers = strings.NewReplacer(
	"<|", "< |",
	"<think>", "< think>", "</think>", "</ think>",
	"<Instruct>", "< Instruct>", "<Query>", "< Query>", "<Document>", "< Document>",
)

// word returns query and documents as they are sent. The server joins the query
// with each document, so that the prompt opens in one and closes in the other.
func (p Prompt) word(instruction, query string, documents []string) (string, []string) {
	if p != Qwen3 {
		return query, documents
	}
	query = "<|im_start|>system\n" + judge + "<|im_end|>\n<|im_start|>user\n" +
		"<Instruct>: " + instruction + "\n<Query>: " + markers.Replace(query) + "\n"
	worded := make([]string, len(documents))
	for i, d := range documents {
		worded[i] = "<Document>: " + markers.Replace(d) + "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
	}
	return query, worded
}

// document is what the model reads of a chunk: title, heading and text, as far
// as they go into the limit.
func (r *Reranker) document(c *winnow.Chunk) string {
	parts := make([]string, 0, 3)
	for _, part := range []string{c.Title, c.Heading, c.Text} {
		if part = strings.TrimSpace(part); part != "" && (len(parts) == 0 || parts[0] != part) {
			parts = append(parts, part)
		}
	}
	return token.Cut(strings.Join(parts, "\n"), r.o.MaxTokens)
}
