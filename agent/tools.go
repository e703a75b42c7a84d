package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
)

// tool is a tool with what it does.
type tool struct {
	winnow.Tool
	// prepare reads the arguments. It is nil for what has no work of its own.
	prepare func(*ledger, arguments) (job, error)
}

// job is a call under way. It has two halves, because the calls of a turn run
// side by side and yet must come out as if they had run one after the other.
type job interface {
	// fetch asks the corpus. It runs concurrently with the other jobs of the
	// turn and reads the ledger as it was when the turn began.
	fetch(ctx context.Context, t *act) error
	// place commits what was fetched, in the order of the calls.
	place(ctx context.Context, c *commit)
}

// Names of tools.
const (
	searchCorpus  = "search_corpus"
	grepCorpus    = "grep_corpus"
	readDocument  = "read_document"
	pruneChunks   = "prune_chunks"
	listCorpus    = "list_corpus"
	followLinks   = "follow_links"
	restoreChunks = "restore_chunks"
	searchHistory = "search_history"
)

// ranks reports whether a tool's results are in order of relevance.
func ranks(tool string) bool { return tool == searchCorpus || tool == followLinks }

func param(name string, t winnow.ParameterType, description string) winnow.Parameter {
	return winnow.Parameter{Name: name, Type: t, Description: description}
}

func optional(p winnow.Parameter) winnow.Parameter {
	p.Optional = true
	return p
}

var toolsContext1 = []tool{
	{winnow.Tool{Name: searchCorpus, Description: "Search the corpus by words and by meaning. Returns the best chunks that were not returned before.", Parameters: []winnow.Parameter{
		param("query", winnow.TypeString, "What to search for.")}}, prepareSearch},
	{winnow.Tool{Name: grepCorpus, Description: "Find chunks that match a regular expression. Returns at most 5 chunks.", Parameters: []winnow.Parameter{
		param("pattern", winnow.TypeString, "The regular expression.")}}, prepareGrep},
	{winnow.Tool{Name: readDocument, Description: "Read a document as a whole, as far as there is room.", Parameters: []winnow.Parameter{
		param("doc_id", winnow.TypeString, "The id of the document.")}}, prepareRead},
	{winnow.Tool{Name: harmony.Batch, Description: "Run several tool calls at the same time.", Parameters: []winnow.Parameter{
		param("tool_calls", winnow.TypeCalls, "The calls.")}}, nil},
	{winnow.Tool{Name: pruneChunks, Description: "Remove chunks from the context that are not needed.", Parameters: []winnow.Parameter{
		param("chunk_ids", winnow.TypeStrings, "The ids of the chunks.")}}, preparePrune},
}

var where = optional(param("where", winnow.TypeObject, `A filter over metadata, such as {"year": {"$gte": 2001}}. list_corpus says which keys there are.`))

var toolsWinnow = []tool{
	{winnow.Tool{Name: searchCorpus, Description: "Search the corpus by words and by meaning. Returns the best chunks that were not shown before.", Parameters: []winnow.Parameter{
		param("query", winnow.TypeString, "What to search for."), where}}, prepareSearch},
	{winnow.Tool{Name: grepCorpus, Description: "Find chunks that match a regular expression (RE2), at most 5.", Parameters: []winnow.Parameter{
		param("pattern", winnow.TypeString, "The regular expression."), where}}, prepareGrep},
	{winnow.Tool{Name: readDocument, Description: "Read the whole document that a chunk is from, in order, as far as there is room.", Parameters: []winnow.Parameter{
		param("doc_id", winnow.TypeString, "A document's id, or the handle of one of its chunks.")}}, prepareRead},
	{winnow.Tool{Name: followLinks, Description: "Show what chunks refer to and what refers to them: names, links, replies, imports, citations.", Parameters: []winnow.Parameter{
		param("chunk_ids", winnow.TypeStrings, "Handles of chunks, or ids of documents."),
		optional(param("question", winnow.TypeString, "What to look for behind the links; the question itself if left out."))}}, prepareLinks},
	{winnow.Tool{Name: listCorpus, Description: "Show what the corpus holds: folders, headings, and metadata keys with their commonest values."}, prepareList},
	{winnow.Tool{Name: pruneChunks, Description: "Take chunks out of the context. They can be restored.", Parameters: []winnow.Parameter{
		param("chunk_ids", winnow.TypeStrings, "Handles of chunks, or ids of documents.")}}, preparePrune},
	{winnow.Tool{Name: restoreChunks, Description: "Show chunks again that were pruned.", Parameters: []winnow.Parameter{
		param("chunk_ids", winnow.TypeStrings, "Handles of chunks, or ids of documents.")}}, prepareRestore},
	{winnow.Tool{Name: searchHistory, Description: "Look through every chunk that was shown so far, pruned or not. Returns handles with a line of text each.", Parameters: []winnow.Parameter{
		optional(param("query", winnow.TypeString, "Words to look for; everything if left out."))}}, prepareHistory},
}

func (p *profile) declarations(omit []string) (out []winnow.Tool) {
	for i := range p.tools {
		if !slices.Contains(omit, p.tools[i].Name) {
			out = append(out, p.tools[i].Tool)
		}
	}
	return out
}

// prepare turns a request into a job. What can't be run is said as an error with
// what is valid instead.
func (l *ledger) prepare(r request) (job, error) {
	var names []string
	for i := range l.profile.tools {
		t := &l.profile.tools[i]
		if !slices.ContainsFunc(l.start.Tools, func(declared winnow.Tool) bool { return declared.Name == t.Name }) {
			continue
		}
		names = append(names, t.Name)
		if t.Name != r.tool {
			continue
		}
		args, err := parse(&t.Tool, r.arguments)
		if err != nil {
			return nil, err
		}
		if t.prepare == nil {
			return nil, &winnow.Error{Code: winnow.BadInput, Message: t.Name + " holds no calls that can be run", Hint: usageOf(&t.Tool)}
		}
		return t.prepare(l, args)
	}
	return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no tool %q", label(r.tool, 64)), Hint: strings.Join(names, ", ")}
}

// say writes an error for the policy.
func say(err *winnow.Error) string {
	text := "Error: " + strings.TrimRight(label(err.Error(), 600), ".") + "."
	if err.Hint != "" {
		text += " Try: " + label(err.Hint, 600) + "."
	}
	if err.Code == winnow.Unavailable {
		text += " The same call may work later."
	}
	return text
}
