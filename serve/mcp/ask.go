package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

type askArguments struct {
	Question string `json:"question" jsonschema:"what you want to know, as a whole question with all names in it"`
	where
	Policy   string  `json:"policy,omitempty" jsonschema:"who searches, by name; leave out for the server's default"`
	Deadline float64 `json:"deadline_s,omitempty" jsonschema:"seconds after which the best passages so far are returned; 45 if left out"`
}

type asked struct {
	Passages []passage `json:"passages" jsonschema:"what supports an answer, best first"`
	// Selected is false where the agent chose nothing and these are only what it
	// met.
	Selected   bool     `json:"selected" jsonschema:"whether the agent chose these as support; if false it chose nothing and they are only what it met"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"between 0 and 1"`
	// CutShort is why the agent did not come to its own end.
	CutShort string   `json:"cut_short,omitempty" jsonschema:"why the search ended early, if it did: deadline, turn_limit, forced or cancelled"`
	Also     []string `json:"also" jsonschema:"further documents that were met, which read takes"`
	Warnings []string `json:"warnings"`
	Run      string   `json:"run,omitempty" jsonschema:"id of the recorded run; winnow replay shows it"`
}

// grace is what the run may take beyond its deadline to put its ranking
// together.
const grace = 5 * time.Second

func (t *tools) ask(ctx context.Context, r *sdk.CallToolRequest, q *askArguments) (string, *asked, error) {
	in, most, err := q.in()
	if err != nil {
		return "", nil, err
	}
	deadline := cmp.Or(q.Deadline, defaultDeadline.Seconds())
	if !(deadline > 0 && deadline <= 3600) {
		return "", nil, &winnow.Error{Code: winnow.BadInput, Message: "deadline_s wants a number from 1 to 3600", Hint: "deadline_s: 45"}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(deadline*float64(time.Second))+grace)
	defer cancel()
	run, err := t.desk.Ask(ctx, &wire.AskRequest{Question: q.Question, In: in, Policy: q.Policy, Deadline: deadline})
	if err != nil {
		return "", nil, err
	}
	report(ctx, r, run)
	answer, err := run.Answer(ctx)
	if err != nil {
		return "", nil, err
	}
	out := t.shorten(&answer, most)
	return render(headline(out), out.Passages, out.Warnings) + tail(out), out, nil
}

// alsoMost bounds the documents that are named without their text.
const alsoMost = 20

// shorten leaves of an answer what an assistant needs: the selected documents
// with their text, and the names of the others.
func (t *tools) shorten(a *wire.Ask, most int) *asked {
	out := &asked{Selected: true, Confidence: a.Confidence, Also: []string{}, Run: a.Run}
	if a.Ended != winnow.Concluded {
		out.CutShort = string(a.Ended)
	}
	chosen := 0
	for chosen < len(a.Ranking) && a.Ranking[chosen].Selected {
		chosen++
	}
	show := chosen
	if chosen == 0 {
		out.Selected, show = false, min(len(a.Ranking), 5)
	}
	passages := make([]passage, show)
	for i := range passages {
		d := &a.Ranking[i]
		passages[i] = passage{Document: d.Document, Collection: d.Collection, Path: t.desk.File(d.Collection, d.Document, d.Path), Lines: d.Lines, Page: d.Page,
			Title: d.Title, Heading: d.Heading, Text: d.Text, Justification: d.Justification}
	}
	kept, left := fit(passages, most)
	out.Passages, out.Warnings = kept, append(a.Warnings, left...)
	for _, d := range a.Ranking[len(kept):min(len(a.Ranking), len(kept)+alsoMost)] {
		out.Also = append(out.Also, d.Document)
	}
	return out
}

func headline(a *asked) string {
	var parts []string
	switch {
	case len(a.Passages) == 0:
		parts = append(parts, "Nothing was found.")
	case !a.Selected:
		parts = append(parts, "The search found nothing that it would stand for; these passages came nearest.")
	}
	if a.CutShort != "" {
		parts = append(parts, fmt.Sprintf("The search was cut short (%s): this is the best ranking by then.", a.CutShort))
	}
	if a.Confidence != nil {
		parts = append(parts, fmt.Sprintf("Confidence %.2f.", *a.Confidence))
	}
	return strings.Join(parts, " ")
}

func tail(a *asked) string {
	text := ""
	if len(a.Also) > 0 {
		text += "\n\nAlso met: " + strings.Join(a.Also, ", ")
	}
	if a.Run != "" {
		text += "\n\nRun: " + a.Run
	}
	return text
}

// reportEvery is how often one who waits is told that the search goes on:
// clients that see progress do not give up.
const reportEvery = 2 * time.Second

// report tells the client what the run does, until it is over, if the client
// asked to be told.
func report(ctx context.Context, r *sdk.CallToolRequest, run *desk.Run) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return
	}
	said := 0.0
	say := func(message string) {
		said++
		r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: said, Message: message}) // a client that does not listen misses nothing
	}
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for n := 0; ; {
		events, over, changed := run.Since(n)
		for i := range events {
			if message := tell(&events[i]); message != "" {
				say(message)
			}
		}
		n += len(events)
		if over {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-tick.C:
			switch position := run.Position(); {
			case position > 0:
				say(fmt.Sprintf("waiting: %d before this", position))
			case n == 0:
				say("waiting for the index")
			default:
				say("searching")
			}
		}
	}
}

// tell is an event in a few words.
func tell(e *winnow.Event) string {
	switch {
	case e.Action != nil && len(e.Action.Calls) > 0:
		var calls []string
		for _, c := range e.Action.Calls[:min(3, len(e.Action.Calls))] {
			calls = append(calls, c.Tool+argument(c.Arguments))
		}
		return fmt.Sprintf("turn %d: %s", e.Turn, strings.Join(calls, ", "))
	case e.Observation != nil:
		n := 0
		for _, r := range e.Observation.Results {
			for _, p := range r.Parts {
				if p.Chunk != nil {
					n++
				}
			}
		}
		return fmt.Sprintf("turn %d: %d passages", e.Turn, n)
	case e.Prune != nil:
		return fmt.Sprintf("turn %d: %d passages pruned", e.Turn, len(e.Prune.Chunks))
	}
	return ""
}

// argument is the first of the usual arguments of a call, cut to a few words.
func argument(arguments string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(arguments), &fields) != nil {
		return ""
	}
	for _, key := range []string{"query", "pattern", "question", "doc_id", "id"} {
		if text, ok := fields[key].(string); ok {
			if r := []rune(text); len(r) > 60 {
				text = string(r[:60]) + "…"
			}
			return fmt.Sprintf(" %q", text)
		}
	}
	return ""
}
