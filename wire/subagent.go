package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// What follows is the contract of Chroma's search service: a question goes in as
// a SearchRequest, and a stream of SearchEvents comes back, the last of which is
// "done" or "error".

// SearchRequest asks a question of one collection. The fields behind the first
// two are what callers of that service send along; a server that holds its
// collections itself has no use for them.
type SearchRequest struct {
	Query          string `json:"query" jsonschema:"what you want to know"`
	CollectionName string `json:"collection_name,omitempty" jsonschema:"the collection to search; the server's default if left out"`
	Model          string `json:"model,omitempty" jsonschema:"accepted and not used: the server's policy answers"`
	ChromaAPIKey   string `json:"chroma_api_key,omitempty" jsonschema:"accepted and not used"`
	ChromaTenant   string `json:"chroma_tenant,omitempty" jsonschema:"accepted and not used"`
	ChromaDatabase string `json:"chroma_database,omitempty" jsonschema:"accepted and not used"`
}

// SearchEvent is one line of the stream.
type SearchEvent struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// SearchAction is what the policy does: tools and params are aligned. The answer
// is the tool user_text.
type SearchAction struct {
	Tools     []SearchTool      `json:"tools"`
	Params    []json.RawMessage `json:"params"`
	Sources   []string          `json:"sources"`
	Reasoning string            `json:"reasoning,omitempty"`
}

// SearchTool names a tool.
type SearchTool struct {
	Name string `json:"name"`
}

// SearchObservation holds the ids of the chunks that were shown.
type SearchObservation struct {
	Sources []string `json:"sources"`
}

// SearchUsage is what the models took.
type SearchUsage struct {
	Records []SearchUsageRecord `json:"usage_records"`
}

// SearchUsageRecord is what one model took.
type SearchUsageRecord struct {
	Model            string `json:"model"`
	InputTokens      int    `json:"input_tokens"`
	OutputTokens     int    `json:"output_tokens"`
	CacheReadTokens  int    `json:"cache_read_tokens"`
	CacheWriteTokens int    `json:"cache_write_tokens"`
}

// SearchResult are the selected documents, best first.
type SearchResult struct {
	Documents []SearchDocument `json:"documents"`
}

// SearchDocument is a document with the reason for choosing it.
type SearchDocument struct {
	ID            string `json:"id"`
	Justification string `json:"justification"`
}

// SearchError is why the stream ends early.
type SearchError struct {
	Message string `json:"message"`
}

// SearchStream turns the events of a run into lines of the contract. It knows the
// names that the run gave to chunks, which mean nothing outside of it. The zero
// value is ready for a run's first event.
type SearchStream struct {
	model string
	ids   map[string]string // by the name in the run
}

// Lines are those that an event makes; prunes and the like make none.
func (s *SearchStream) Lines(e *winnow.Event) []SearchEvent {
	switch {
	case e.Start != nil:
		s.model = cmp.Or(e.Start.Model, e.Start.Policy)
	case e.Action != nil:
		return []SearchEvent{{"action", s.action(e.Action)}, {"usage", usageOf(e.Action.Usage, s.model)}}
	case e.Observation != nil:
		return []SearchEvent{{"observation", s.observation(e.Observation)}}
	}
	return nil
}

func (s *SearchStream) observation(o *winnow.Observation) SearchObservation {
	out := SearchObservation{Sources: []string{}}
	if s.ids == nil {
		s.ids = map[string]string{}
	}
	for _, r := range o.Results {
		for _, p := range r.Parts {
			if p.Chunk != nil {
				s.ids[p.Name()] = p.Chunk.ID
				out.Sources = append(out.Sources, p.Chunk.ID)
			}
		}
	}
	return out
}

func (s *SearchStream) action(a *winnow.Action) SearchAction {
	out := SearchAction{Tools: []SearchTool{}, Params: []json.RawMessage{}, Sources: []string{}, Reasoning: a.Reasoning}
	for _, c := range a.Calls {
		params := json.RawMessage(c.Arguments)
		if !json.Valid(params) { // as the policy wrote it, well formed or not
			params, _ = json.Marshal(c.Arguments)
		}
		out.Tools, out.Params = append(out.Tools, SearchTool{c.Tool}), append(out.Params, params)
	}
	if len(a.Calls) > 0 || a.Answer == nil {
		return out
	}
	var reasons strings.Builder
	for _, c := range a.Answer.Selected {
		id := cmp.Or(s.ids[c.ID], c.ID)
		out.Sources = append(out.Sources, id)
		fmt.Fprintf(&reasons, "%s: %s\n", id, c.Justification)
	}
	text, _ := json.Marshal(map[string]string{"text": cmp.Or(a.Text, reasons.String())}) // a policy in code has no words of its own
	out.Tools, out.Params = append(out.Tools, SearchTool{"user_text"}), append(out.Params, text)
	return out
}

func usageOf(u winnow.Usage, model string) SearchUsage {
	return SearchUsage{Records: []SearchUsageRecord{{Model: model, InputTokens: u.Prompt - u.Cached, OutputTokens: u.Completion, CacheReadTokens: u.Cached}}}
}

// SearchResultOf are the documents that a run selected.
func SearchResultOf(a *Ask) SearchResult {
	out := SearchResult{Documents: []SearchDocument{}}
	for _, r := range a.Ranking {
		if r.Selected {
			out.Documents = append(out.Documents, SearchDocument{r.Document, r.Justification})
		}
	}
	return out
}
