package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"syscall"
	"time"

	"github.com/winnow-search/winnow"
)

// hold marks a record as being written. The system takes the mark back if the
// process dies, so that a run that was cut off is told from one that thinks.
func hold(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// held reports whether another open file holds the mark.
func held(f *os.File) bool {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return errors.Is(err, syscall.EWOULDBLOCK)
	}
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return false
}

// Live reports whether any process is writing a run.
func (f Folder) Live(id string) bool {
	file, err := os.Open(f.Path(id))
	if err != nil {
		return false
	}
	defer file.Close()
	return held(file)
}

// followPoll is how soon a follower sees what was written. Looking at a file
// that has not grown costs microseconds.
const followPoll = 50 * time.Millisecond

// Follow yields the events of a run as they are written, by whatever process,
// from the first to the end. A record that was cut off ends with an error.
func (f Folder) Follow(ctx context.Context, id string) iter.Seq2[winnow.Event, error] {
	return func(yield func(winnow.Event, error) bool) {
		file, err := os.Open(f.Path(id))
		if err != nil {
			yield(winnow.Event{}, err)
			return
		}
		defer file.Close()
		tick := time.NewTicker(followPoll)
		defer tick.Stop()
		var rest []byte // a line that is not whole yet
		block := make([]byte, 64<<10)
		for idle := 0; ; {
			live := held(file) // before reading: what is written until then is read
			n, err := file.Read(block)
			if err != nil && err != io.EOF {
				yield(winnow.Event{}, err)
				return
			}
			rest = append(rest, block[:n]...)
			for {
				line, more, whole := bytes.Cut(rest, []byte("\n"))
				if !whole {
					break
				}
				rest = more
				e, err := decode(line)
				if !yield(e, err) || err != nil || e.End != nil && e.Rollout == 0 {
					return
				}
			}
			switch {
			case n > 0:
				idle = 0
				continue
			case live:
				idle = 0
			case idle > 0: // twice, because a record is made a moment before it is marked
				yield(winnow.Event{}, &winnow.Error{Code: winnow.Corrupt, Message: "the recorded run was cut off before its end"})
				return
			default:
				idle++
			}
			select {
			case <-ctx.Done():
				yield(winnow.Event{}, ctx.Err())
				return
			case <-tick.C:
			}
		}
	}
}

func decode(line []byte) (e winnow.Event, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber() // large integers of metadata stay what they are
	if err := d.Decode(&e); err != nil {
		return e, &winnow.Error{Code: winnow.Corrupt, Message: "a line of the record is not an event", Err: err}
	}
	if e.Start != nil && e.Start.Version > winnow.TrajectoryVersion {
		return e, &winnow.Error{Code: winnow.TooNew, Message: fmt.Sprintf("the record has form %d, and this version reads up to %d", e.Start.Version, winnow.TrajectoryVersion), Hint: "a newer winnow"}
	}
	return e, nil
}
