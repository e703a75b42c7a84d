package page

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
)

// The data of the questions, from which the script opens one. Documents are
// named once and referred to by their place, because the same ones come again
// and again.

type drillData struct {
	Runs      []string        `json:"runs"`
	Metric    string          `json:"metric"`
	Documents []drillDocument `json:"documents"`
	Questions []drillQuestion `json:"questions"`
}

type drillDocument struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}

type drillQuestion struct {
	ID       string     `json:"id"`
	Question string     `json:"question"`
	Hops     int        `json:"hops,omitempty"`
	Type     string     `json:"type,omitempty"`
	Answer   string     `json:"answer,omitempty"`
	Gold     []int      `json:"gold"` // documents
	Unjudged bool       `json:"unjudged,omitempty"`
	Runs     []drillRun `json:"runs"`
}

type drillRun struct {
	Score   *float64    `json:"score"`
	Fates   []eval.Fate `json:"fates,omitempty"`
	Error   string      `json:"error,omitempty"`
	Ended   string      `json:"ended,omitempty"`
	Millis  float64     `json:"ms"`
	Plain   bool        `json:"plain,omitempty"`
	Ranking []drillRank `json:"ranking"`
	Turns   []drillTurn `json:"turns,omitempty"`
}

type drillRank struct {
	Document int  `json:"d"`
	Selected bool `json:"s,omitempty"`
}

type drillTurn struct {
	View   int         `json:"view"`
	Said   string      `json:"said,omitempty"`
	Calls  []drillCall `json:"calls,omitempty"`
	Pruned []int       `json:"pruned,omitempty"`
}

type drillCall struct {
	Tool  string `json:"tool"`
	What  string `json:"what,omitempty"`
	Found []int  `json:"found,omitempty"`
	Error string `json:"error,omitempty"`
}

// driller collects documents while questions are gone through.
type driller struct {
	data drillData
	at   map[string]int
}

// rankShown is how much of a ranking is shown.
const rankShown = 10

// drill is the data as JSON that can stand inside a script element: every < is
// escaped, so that no text ends the element.
func drill(t *compare.Table) ([]byte, error) {
	d := &driller{at: map[string]int{}}
	d.data.Metric = string(eval.Recall5)
	for _, r := range t.Runs {
		d.data.Runs = append(d.data.Runs, r.Name)
	}
	for i := range t.Tasks {
		task := &t.Tasks[i]
		q := drillQuestion{ID: task.ID, Question: task.Question, Hops: task.Hops, Type: task.Type, Answer: strings.Join(task.Answers, " / "), Gold: []int{}, Unjudged: task.Unjudged}
		for _, id := range goldDocuments(task) {
			q.Gold = append(q.Gold, d.document(id, task.Titles[id], ""))
		}
		for j := range t.Runs {
			run, err := d.run(&t.Runs[j], task, &t.Runs[j].Results[i])
			if err != nil {
				return nil, err
			}
			q.Runs = append(q.Runs, run)
		}
		d.data.Questions = append(d.data.Questions, q)
	}
	return json.Marshal(d.data) // which escapes <, > and &
}

func goldDocuments(t *eval.Task) (ids []string) {
	ids = append(ids, t.Gold...)
	for _, f := range t.Facts {
		for _, id := range f {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// snippetLength is how much text a document is shown with.
const snippetLength = 240

func (d *driller) document(id, title, text string) int {
	i, known := d.at[id]
	if !known {
		i = len(d.data.Documents)
		d.at[id] = i
		d.data.Documents = append(d.data.Documents, drillDocument{ID: id})
	}
	of := &d.data.Documents[i]
	if of.Title == "" && title != id {
		of.Title = title
	}
	if of.Text == "" {
		text = strings.Join(strings.Fields(text), " ")
		if len(text) > snippetLength {
			text = strings.ToValidUTF8(text[:snippetLength], "") + "…"
		}
		of.Text = text
	}
	return i
}

func (d *driller) run(r *compare.Run, task *eval.Task, result *eval.Result) (drillRun, error) {
	o := &result.Outcome
	out := drillRun{Error: o.Error, Ended: string(o.Ended), Millis: o.LatencyMS, Plain: o.RankingOnly, Ranking: []drillRank{}}
	if v, ok := result.Scores[eval.Recall5]; ok {
		out.Score = &v
	} else if v, ok := result.Scores[eval.Abstained]; ok {
		out.Score = &v
	}
	if !task.Unjudged {
		out.Fates = eval.Fates(task, o)
	}
	for _, doc := range o.Ranking[:min(rankShown, len(o.Ranking))] {
		text := ""
		if len(doc.Passages) > 0 {
			text = doc.Passages[0].Text
		}
		out.Ranking = append(out.Ranking, drillRank{d.document(doc.Document, doc.Title, text), doc.Selected})
	}
	trajectory, err := r.Folder.Trajectory(result.ID)
	if err != nil || trajectory == nil {
		return out, err
	}
	out.Turns = d.turns(trajectory)
	return out, nil
}

// turns are those of a trajectory; of several rollouts, those of the first.
func (d *driller) turns(t *winnow.Trajectory) (out []drillTurn) {
	names := map[string]int{}
	var start *winnow.Start
	var action *winnow.Action
	for i := range t.Events {
		e := &t.Events[i]
		if e.Rollout > 1 {
			continue
		}
		switch {
		case e.Start != nil:
			start = e.Start
		case e.Action != nil:
			action = e.Action
			said := action.Text
			if action.Answer != nil {
				said = ""
			}
			out = append(out, drillTurn{View: e.View, Said: cut(said, 300)})
		case e.Prune != nil && len(out) > 0:
			turn := &out[len(out)-1]
			for _, id := range e.Prune.Chunks {
				if doc, ok := names[id]; ok && !slices.Contains(turn.Pruned, doc) {
					turn.Pruned = append(turn.Pruned, doc)
				}
			}
		case e.Observation != nil && len(out) > 0:
			turn := &out[len(out)-1]
			for _, r := range e.Observation.Results {
				turn.Calls = append(turn.Calls, d.call(&r, action, start, names))
			}
		}
	}
	return out
}

func (d *driller) call(r *winnow.Result, action *winnow.Action, start *winnow.Start, names map[string]int) drillCall {
	c := drillCall{Tool: r.Tool, What: cut(r.Query, 200)}
	// What was pruned is shown by its documents.
	if c.What == "" && action != nil && r.Call < len(action.Calls) && r.Tool != "prune_chunks" {
		c.What = cut(action.Calls[r.Call].Arguments, 200)
	}
	for _, p := range r.Parts {
		if p.Chunk == nil {
			if r.Code != "" {
				c.Error = cut(p.Text, 200)
			}
			continue
		}
		doc := d.document(p.Chunk.Document, p.Chunk.Title, p.Chunk.Text)
		if start != nil {
			names[start.Name(p.Chunk.Collection, p.Chunk.ID)] = doc
		}
		if !slices.Contains(c.Found, doc) {
			c.Found = append(c.Found, doc)
		}
	}
	return c
}

func cut(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
