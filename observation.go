package winnow

import (
	"cmp"
	"strings"
)

// Observation is what came of a turn's calls.
type Observation struct {
	// Results stand in the order of the calls; a call that holds several has
	// several.
	Results []Result `json:"results"`
	// Skipped is the number of calls beyond what a turn takes.
	Skipped int `json:"skipped,omitempty"`
	// Used is the size of the next view in tokens, as its usage line says.
	Used     int      `json:"used"`
	Warnings []string `json:"warnings,omitempty"`
}

// Result answers one call.
type Result struct {
	// Call is the index of the call in the action.
	Call int    `json:"call"`
	Tool string `json:"tool"`
	// Query is what was looked for, where something was.
	Query string `json:"query,omitempty"`
	// Code is that of the failure, if it is one. Failures are data: the policy
	// reads them and goes on.
	Code  Code   `json:"code,omitempty"`
	Parts []Part `json:"parts"`
	// Usage is the line behind the last result of a view's observation that says
	// how full the view is.
	Usage string `json:"usage,omitempty"`
}

// Part is a piece of a result: words of the harness, or a chunk.
type Part struct {
	// Text is what is read: of a chunk, its header and its text with everything
	// neutralised that could pass for structure. In a trajectory it is left out
	// for chunks, as it follows from them.
	Text string `json:"text,omitempty"`
	// Chunk is the chunk as it is stored, with the reasons it was found.
	Chunk *Hit `json:"chunk,omitempty"`
	// Handle is the name of the chunk in this run, where it is not its id.
	Handle string `json:"handle,omitempty"`
	// Bytes is how much of the chunk's text is shown if it had to be cut.
	Bytes int `json:"bytes,omitempty"`
}

// Name is what calls and answers may call the chunk, and no other.
func (p *Part) Name() string { return cmp.Or(p.Handle, p.Chunk.ID) }

// Shown is the part of the chunk's text that is shown.
func (p *Part) Shown() string {
	if p.Bytes > 0 && p.Bytes < len(p.Chunk.Text) {
		return p.Chunk.Text[:p.Bytes]
	}
	return p.Chunk.Text
}

// PartSeparator stands between the parts of a result.
const PartSeparator = "\n"

// Text is the result as a model reads it.
func (r *Result) Text() string {
	var b strings.Builder
	for i, p := range r.Parts {
		if i > 0 {
			b.WriteString(PartSeparator)
		}
		b.WriteString(p.Text)
	}
	b.WriteString(r.Usage)
	return b.String()
}
