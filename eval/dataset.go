// Package eval says which policy searches a corpus best, at what cost, and
// whether the difference is real.
//
// A [Dataset] is a list of [Task]s and the corpus they are asked of, whatever
// format it came in. [Run] has something answer every task and scores each
// [Outcome], so that a plain search and an [Agent]'s long run go the same way; the
// [Report] has the mean of every metric with its interval, and [Compare] tells a
// difference between two runs from noise. Runs are kept on disk in eval/folder,
// judged in eval/judge, put side by side in eval/compare, and shown in eval/page.
//
// Two rules shape the package. Nothing is dropped silently: a question that
// fails counts as 0, one whose gold no search could return is named instead of
// scored, and a metric that does not apply is null, not 0. And everything that
// is needed to score is settled when a data set is loaded, in one pass over its
// corpus, so that scoring reads no text: what was traded away is that loading
// costs one reading of the corpus even when a few questions are asked.
package eval

import (
	"iter"

	"github.com/winnow-search/winnow"
)

// Format names the shape that a data set was read from.
type Format string

const (
	FormatFolder      Format = "winnow"       // corpus.jsonl and questions.jsonl, or a questions file alone
	FormatBEIR        Format = "beir"         // corpus.jsonl, queries.jsonl, qrels/*.tsv
	FormatHotpotQA    Format = "hotpotqa"     // the original JSON array
	Format2Wiki       Format = "2wiki"        // the same shape, with evidences
	FormatMuSiQue     Format = "musique"      // the original JSONL
	FormatMultiHopRAG Format = "multihop-rag" // MultiHopRAG.json and corpus.json
	FormatTREC        Format = "trec"         // topics* and qrels*
	FormatTasks       Format = "tasks"        // generated task files, one JSON object per chain
)

// Document is one text of a data set's corpus, not yet cut into chunks.
type Document struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Text     string          `json:"text"`
	Metadata winnow.Metadata `json:"metadata,omitempty"`
}

// Dataset is a list of tasks and the corpus that they are asked of.
type Dataset struct {
	Name   string
	Format Format
	// Tasks are the questions that can be scored, in the order of the file.
	Tasks []Task
	// Files are what the data set was read from, for checksums.
	Files []string
	// CorpusFile is set where the corpus is one file in our own JSONL shape,
	// which can be indexed as it lies.
	CorpusFile string
	// Problems name what was left out and why.
	Problems []Problem

	documents iter.Seq2[Document, error]
}

// Documents yields the corpus, read anew each time. It is nil where a data set
// brings none: questions for a collection that is already there.
func (d *Dataset) Documents() iter.Seq2[Document, error] { return d.documents }
