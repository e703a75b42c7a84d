package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
)

// record is one JSON value of a file and where it starts.
type record struct {
	position
	data []byte
}

// decode reads the record into v. Fields that v lacks are ignored: data sets
// carry many that no metric needs.
func (r record) decode(v any) error {
	err := json.Unmarshal(r.data, v)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return r.after(syntax.Offset).problem(Malformed, "this is not valid JSON: %s", plain(err))
	case errors.As(err, &wrong) && wrong.Field != "":
		return r.after(wrong.Offset).problem(Malformed, "the field %q can't be a %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return r.problem(Malformed, "the record is a JSON %s, not an object", wrong.Value)
	}
	return r.problem(Malformed, "%s", plain(err))
}

// after is the position that many bytes into the record.
func (r record) after(offset int64) position {
	head := r.data[:min(int(offset), len(r.data))]
	return position{r.file, r.line + bytes.Count(head, []byte("\n"))}
}

func plain(err error) string { return strings.TrimPrefix(err.Error(), "json: ") }

const byteOrderMark = "\ufeff"

// withoutMark buffers a file and skips the mark that some editors put first.
func withoutMark(f io.Reader) *bufio.Reader {
	in := bufio.NewReaderSize(f, 1<<16)
	if head, _ := in.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		in.Discard(len(byteOrderMark))
	}
	return in
}

// jsonLines yields the lines of a JSONL file that are not blank.
func jsonLines(path string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for l, err := range textLines(path) {
			if err != nil {
				yield(record{}, err)
				return
			}
			if !yield(record{l.position, []byte(l.text)}, nil) {
				return
			}
		}
	}
}

// textLine is a line without the space around it.
type textLine struct {
	position
	text string
}

// textLines yields the lines of a file that are not blank.
func textLines(path string) iter.Seq2[textLine, error] {
	return func(yield func(textLine, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(textLine{}, err)
			return
		}
		defer f.Close()
		in := withoutMark(f)
		for n := 1; ; n++ {
			line, err := in.ReadString('\n')
			if err != nil && err != io.EOF {
				yield(textLine{}, fmt.Errorf("read %s: %w", path, err))
				return
			}
			text := strings.TrimSpace(line)
			if text != "" && !yield(textLine{position{path, n}, text}, nil) {
				return
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// jsonArray yields the elements of a file that is one JSON array, without ever
// holding more than one: the original files of the multi-hop sets are arrays of
// half a gigabyte, often on a single line, so messages count records too.
func jsonArray(path string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(record{}, err)
			return
		}
		defer f.Close()
		lines := &lineCounter{in: withoutMark(f)}
		dec := json.NewDecoder(lines)
		open, err := dec.Token()
		if err != nil || open != json.Delim('[') {
			yield(record{}, position{path, 1}.problem(Malformed, "the file is not a JSON array"))
			return
		}
		for n := 1; dec.More(); n++ {
			var data json.RawMessage
			if err := dec.Decode(&data); err != nil {
				at := position{path, lines.at(dec.InputOffset())}
				yield(record{}, at.problem(Malformed, "record %d of the array is not valid JSON: %s", n, plain(err)))
				return
			}
			at := position{path, lines.at(dec.InputOffset() - int64(len(data)))}
			if !yield(record{at, data}, nil) {
				return
			}
		}
		if _, err := dec.Token(); err != nil {
			at := position{path, lines.at(dec.InputOffset())}
			yield(record{}, at.problem(Malformed, "the array does not end"))
		}
	}
}

// lineCounter turns byte offsets that a buffering decoder reports, in rising
// order, into line numbers. It remembers only the line ends that were read and
// not yet passed.
type lineCounter struct {
	in     io.Reader
	read   int64
	ends   []int64
	passed int
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

func (l *lineCounter) at(offset int64) int {
	n := 0
	for n < len(l.ends) && l.ends[n] < offset {
		n++
	}
	l.ends = l.ends[n:]
	l.passed += n
	return 1 + l.passed
}

// jsonObject reads a file that is one JSON object.
func jsonObject(path string) (record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return record{}, err
	}
	return record{position{path, 1}, bytes.TrimPrefix(data, []byte(byteOrderMark))}, nil
}
