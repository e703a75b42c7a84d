package builtin

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
)

var update = flag.Bool("update", false, "write the golden runs anew")

// goldenQuestions have a dozen different shapes.
var goldenQuestions = []struct{ name, question string }{
	{"one-fact", "How high is Mount Aske?"},
	{"two-clauses", "Who builds the flood barrier and what does it cost?"},
	{"the-x-of-the-y", "Where was the architect of the Harrowmere town hall born?"},
	{"the-x-of-the-y-of-z", "What is the office of the harbour master of Port Ellory besides that of the keeper?"},
	{"relative-clause", "Who won an award for binding the book that Walter Dunmore wrote?"},
	{"three-hops", "Who married the founder of the observatory whose main instrument was ground by Clara Halloran?"},
	{"which-first", "Which was founded first, the Aske Observatory or the Petrel Trust?"},
	{"both", "Were Agnes Tolliver and Clara Halloran both connected with Leipsworth?"},
	{"quoted", `Who bound "The Paper Year", and what did it win?`},
	{"number", "How much do twenty-two archive boxes cost in 2024?"},
	{"code", "Which function of pebble decides where a file is cut, and does cut_points need min_size?"},
	{"mail", "What came back wrong in the restore drill that Tomas Brandt announced?"},
	{"keywords", "lens loan reply"},
	{"nothing-to-find", "Who is the goalkeeper of the handball team of Ostley?"},
}

// TestRunsAreThoseWrittenDown compares what a reader of a run would see. The
// model is that without weights: what it does follows from the code alone, and
// does not change whenever somebody trains. A call shows no more than three or
// four chunks, so that a search does not bring the whole village at once and links
// have somewhere to lead.
func TestRunsAreThoseWrittenDown(t *testing.T) {
	corpus, model := village(t), NewModel(nil)
	for _, g := range goldenQuestions {
		t.Run(g.name, func(t *testing.T) {
			got := digest(t, ask(t, model, agent.Options{Question: g.question, Corpus: corpus, Budget: winnow.Budget{PerCall: 240}}))
			path := filepath.Join("testdata", "golden", g.name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the run is another (-update writes it down):\n%s\nand was\n%s", got, want)
			}
		})
	}
}

// digest is a run as a person would tell it: calls with what they brought,
// prunes, and the ranking as far as it was chosen.
func digest(t *testing.T, trajectory *winnow.Trajectory) string {
	t.Helper()
	var b strings.Builder
	documents := map[string]string{} // by what the run calls their chunks
	brought := func(r winnow.Result) {
		fmt.Fprintf(&b, "  %d brought", r.Call)
		for _, p := range r.Parts {
			if p.Chunk != nil {
				documents[p.Name()] = p.Chunk.ID
				fmt.Fprintf(&b, " %s", p.Chunk.ID)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintln(&b, trajectory.Start().Question)
	for _, e := range trajectory.Events {
		switch {
		case e.Action != nil:
			fmt.Fprintf(&b, "\nturn %d\n", e.Turn)
			for i, c := range e.Action.Calls {
				fmt.Fprintf(&b, "  %d %s %s\n", i, c.Tool, told(t, c.Arguments, documents))
			}
		case e.Prune != nil:
			fmt.Fprintf(&b, "  pruned %d\n", len(e.Prune.Chunks))
		case e.Observation != nil:
			for _, r := range e.Observation.Results {
				if r.Tool != "prune_chunks" {
					brought(r)
				}
			}
		}
	}
	end := trajectory.End()
	fmt.Fprintf(&b, "%s with %d documents\n", end.Ended, len(end.Ranking))
	for _, d := range end.Ranking.Selected() {
		fmt.Fprintf(&b, "  %d. %s: %s\n", d.Rank, d.Document, d.Justification)
	}
	return b.String()
}

// told are arguments with chunks by their ids.
func told(t *testing.T, arguments string, documents map[string]string) string {
	t.Helper()
	var a struct {
		Query    string   `json:"query"`
		Question string   `json:"question"`
		Chunks   []string `json:"chunk_ids"`
	}
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, c := range a.Chunks {
		words = append(words, documents[c])
	}
	if text := a.Query + a.Question; text != "" {
		words = append(words, fmt.Sprintf("%q", text))
	}
	return strings.Join(words, " ")
}
