package endpoint

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// Events reads a stream of server-sent events and yields the data of each, which
// is good until the next. The events' names are left out: the APIs of models
// repeat them in the data, and gateways forget them. So is an event that the
// stream ends in, as half of one can't be told from a whole.
//
// Lines end as those of text files do. The bare carriage return, which the
// standard allows too, nobody sends.
func Events(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, MaxReply)
		var data []byte
		for lines.Scan() {
			if len(lines.Bytes()) == 0 {
				if len(data) > 1 && !yield(bytes.TrimSuffix(data, []byte("\n")), nil) {
					return
				}
				data = data[:0]
				continue
			}
			if name, value, _ := bytes.Cut(lines.Bytes(), []byte(":")); string(name) == "data" {
				data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}
