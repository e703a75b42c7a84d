package winnow

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// TrajectoryVersion is the form that Write writes.
const TrajectoryVersion = 1

// Trajectory is a run, complete: nothing that was shown or said is left out,
// pruned or not. On disk it is a line of JSON for each event.
type Trajectory struct {
	Events []Event
}

// Start is the first event's, or nil.
func (t *Trajectory) Start() *Start {
	if len(t.Events) == 0 {
		return nil
	}
	return t.Events[0].Start
}

// End is the last event's, or nil if the run was cut off.
func (t *Trajectory) End() *End {
	if len(t.Events) == 0 {
		return nil
	}
	return t.Events[len(t.Events)-1].End
}

// Shown are the chunks that were shown, each once, in order.
func (t *Trajectory) Shown() []*Hit {
	var out []*Hit
	type id struct{ collection, chunk string }
	seen := map[id]bool{}
	for i := range t.Events {
		o := t.Events[i].Observation
		if o == nil {
			continue
		}
		for _, r := range o.Results {
			for _, p := range r.Parts {
				if p.Chunk == nil || seen[id{p.Chunk.Collection, p.Chunk.ID}] {
					continue
				}
				seen[id{p.Chunk.Collection, p.Chunk.ID}] = true
				out = append(out, p.Chunk)
			}
		}
	}
	return out
}

// Pruned are the chunks that were pruned at any time, restored or not, in the
// order in which they were shown.
func (t *Trajectory) Pruned() []*Hit {
	start := t.Start()
	if start == nil {
		return nil
	}
	pruned := map[string]bool{}
	for i := range t.Events {
		if p := t.Events[i].Prune; p != nil {
			for _, id := range p.Chunks {
				pruned[id] = true
			}
		}
	}
	return slices.DeleteFunc(t.Shown(), func(h *Hit) bool { return !pruned[start.Name(h.Collection, h.ID)] })
}

// WriteEvent writes one line.
func WriteEvent(w io.Writer, e *Event) error {
	b, err := encodeEvent(e)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func encodeEvent(e *Event) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}

// WriteTo writes all events as JSONL.
func (t *Trajectory) WriteTo(w io.Writer) (n int64, err error) {
	for i := range t.Events {
		b, err := encodeEvent(&t.Events[i])
		if err != nil {
			return n, err
		}
		m, err := w.Write(b)
		n += int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// ReadTrajectory reads what WriteTo wrote. On an error it also returns the
// events before it, because a run that was killed is worth reading.
func ReadTrajectory(r io.Reader) (*Trajectory, error) {
	t := &Trajectory{}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return t, t.check()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return t, err
		}
		var e Event
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber() // large integers of metadata stay what they are
		if err := d.Decode(&e); err != nil {
			return t, &Error{Code: Corrupt, Message: fmt.Sprintf("line %d of the trajectory is not an event", n), Err: err,
				Hint: "the lines before it are whole"}
		}
		if e.Start != nil && e.Start.Version > TrajectoryVersion {
			return t, &Error{Code: TooNew, Message: fmt.Sprintf("the trajectory has form %d, and this version reads up to %d", e.Start.Version, TrajectoryVersion),
				Hint: "a newer winnow"}
		}
		t.Events = append(t.Events, e)
	}
}

func (t *Trajectory) check() error {
	if t.Start() == nil {
		return &Error{Code: Corrupt, Message: "the trajectory does not begin with a start event", Hint: "a file written with --trace"}
	}
	return nil
}
