package agent

import (
	"fmt"
	"math"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

const (
	// leastText is the room that every call has at least: for a sentence.
	leastText = 40
	// usageRoom is kept for the usage line.
	usageRoom = 32
	// noteRoom is kept behind the chunks of a result for a note on them.
	noteRoom = 48
	// worthCutting is the room below which a chunk that does not fit is left out
	// instead of being cut, unless it is the first.
	worthCutting = 192
)

// commit puts a turn's results together, one call after the other, within the
// room that is left. The room is split equally; what one call leaves over is
// split among those behind it. Sizes are those of the rendered messages, so the
// sum is exact however the parts meet.
type commit struct {
	act      *act
	ledger   *ledger
	results  []winnow.Result
	contents []token.Tally   // of each result so far
	size     int             // of the messages of all results so far
	at       int             // the result being filled
	room     int             // what it may still take
	full     bool            // something was found for it that has no room
	taken    map[string]bool // shown by this turn
	minted   int             // chunks among them that are new to the run
	restored []string
	warnings []string
	skipped  int
}

func newCommit(t *act, skipped int) *commit {
	c := &commit{act: t, ledger: t.ledger, taken: map[string]bool{}, skipped: skipped,
		results: make([]winnow.Result, len(t.requests)), contents: make([]token.Tally, len(t.requests))}
	for i, r := range t.requests {
		c.results[i] = winnow.Result{Call: r.call, Tool: toolName(r.tool)}
	}
	c.size = c.tokens()
	return c
}

// tokens counts the messages of the results.
func (c *commit) tokens() int {
	t := c.ledger.turns[len(c.ledger.turns)-1]
	return harmony.CountResults(t.action.Calls, c.results, c.contents)
}

// free is the room that is left in the next view.
func (c *commit) free() int {
	free := c.ledger.limit() - c.ledger.tokens - c.size - usageRoom
	if c.skipped > 0 {
		free -= leastText
	}
	return free
}

// share is what call i may use of the free room.
func (c *commit) share(i int) int {
	return min(c.ledger.start.Budget.PerCall, c.free()/(len(c.results)-i))
}

// begin turns to call i.
func (c *commit) begin(i int) {
	c.at, c.room, c.full = i, c.share(i), false
}

// with is what the current result would cost more with another part.
func (c *commit) with(p token.Tally) (content token.Tally, cost int) {
	old := c.contents[c.at]
	content = old
	if len(c.results[c.at].Parts) > 0 {
		content = content.Join(harmony.Measure(c.ledger.profile.name, winnow.PartSeparator))
	}
	content = content.Join(p)
	c.contents[c.at] = content
	cost = c.tokens() - c.size
	c.contents[c.at] = old
	return content, cost
}

func (c *commit) add(p winnow.Part, content token.Tally, cost int) {
	r := &c.results[c.at]
	r.Parts = append(r.Parts, p)
	c.contents[c.at] = content
	c.room -= cost
	c.size += cost
}

// text adds words of the harness, cut to the room.
func (c *commit) text(s string) {
	s = ahead(valid(s), c.room)
	for keep := math.MaxInt; s != ""; {
		content, cost := c.with(harmony.Measure(c.ledger.profile.name, s))
		if cost <= c.room {
			c.add(winnow.Part{Text: s}, content, cost)
			return
		}
		keep = min(token.Count(s), keep) - (cost - c.room)
		s = token.Cut(s, keep)
	}
}

// fail answers the current call with an error.
func (c *commit) fail(err error) {
	e := asData(err)
	c.results[c.at].Code = e.Code
	c.text(say(e))
}

// has reports whether a chunk is in the next view already.
func (c *commit) has(id string) bool {
	s := c.ledger.chunks[id]
	return c.taken[id] || s != nil && c.ledger.inView(s)
}

// hit is a chunk that was looked up and not ranked. If it was shown before, it
// keeps the reasons it was found for.
func (c *commit) hit(chunk winnow.Chunk) *winnow.Hit {
	h := recordable(winnow.Hit{Chunk: chunk})
	if s := c.ledger.chunks[c.ledger.id(h)]; s != nil {
		return s.hit
	}
	return h
}

// chunk shows a chunk that is not in view, whole or cut, and reports whether it
// did. A chunk that was pruned is thereby restored.
func (c *commit) chunk(h *winnow.Hit) (ok bool) {
	defer func() { c.full = !ok }()
	p := c.part(h)
	room := c.room - noteRoom
	text := ahead(h.Text, room)
	if len(text) == len(h.Text) {
		if content, cost := c.with(c.ledger.measured(&p).tally); cost <= room {
			c.show(p, content, cost)
			return true
		}
	}
	if len(c.results[c.at].Parts) > 0 && room < worthCutting {
		return false
	}
	for keep := room; keep > 0; {
		p.Bytes = len(token.Cut(text, keep))
		if p.Bytes == 0 {
			return false
		}
		content, cost := c.with(c.ledger.measured(&p).tally)
		if cost <= room {
			c.show(p, content, cost)
			return true
		}
		// Escapes can make a text several times as long; come down in proportion,
		// and by one at least.
		keep = min(keep-1, keep*room/cost)
	}
	return false
}

// ahead is as much of a text as could fit into so many tokens and is worth
// counting. Words have some five bytes a token; what has more than sixteen is no
// language, and counting it to its end could take longer than all else in a turn.
func ahead(text string, tokens int) string {
	if bytes := 16 * max(tokens, 0); bytes < len(text) {
		return strings.ToValidUTF8(text[:bytes], "")
	}
	return text
}

// part is a chunk as it is about to be shown.
func (c *commit) part(h *winnow.Hit) winnow.Part {
	p := winnow.Part{Chunk: h}
	id := c.ledger.id(h)
	if c.ledger.profile.handles {
		number := len(c.ledger.order) + c.minted + 1
		if s := c.ledger.chunks[id]; s != nil {
			number = s.number
		}
		p.Handle = fmt.Sprintf("c%d", number)
	} else if id != h.ID {
		p.Handle = id
	}
	return p
}

func (c *commit) show(p winnow.Part, content token.Tally, cost int) {
	id := c.ledger.id(p.Chunk)
	switch s := c.ledger.chunks[id]; {
	case s == nil:
		c.minted++
	case s.pruned:
		c.restored = append(c.restored, id)
	}
	c.taken[id] = true
	c.add(p, content, cost)
}

// refuseAll answers every call with one sentence. The run ends here, so that the
// answers are for the record, and need no room.
func (c *commit) refuseAll(text string) {
	for i := range c.results {
		c.results[i].Code = winnow.TooMuch
		c.results[i].Parts = []winnow.Part{{Text: text}}
	}
}

func (c *commit) warn(warnings []string) { c.warnings = merge(c.warnings, validAll(warnings)) }

// close adds what stands behind the last result and returns the observation.
func (c *commit) close() *winnow.Observation {
	o := &winnow.Observation{Results: c.results, Skipped: c.skipped, Warnings: c.warnings}
	for i := range o.Results {
		if len(o.Results[i].Parts) == 0 {
			c.at, c.room = i, leastText
			o.Results[i].Code = winnow.TooMuch
			c.text("Error: there is no room to show what was found. Try: prune chunks first.")
		}
	}
	if c.skipped > 0 && len(o.Results) > 0 {
		c.at, c.room = len(o.Results)-1, leastText
		c.text(fmt.Sprintf("%s more calls were not run: a turn takes at most %d.", grouped(c.skipped), maxCalls))
	}
	return o
}
