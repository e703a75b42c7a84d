package runs

import (
	"bytes"
	"io"
	"os"
	"time"

	"github.com/winnow-search/winnow"
)

// Summary is what is worth knowing of a run before it is read.
type Summary struct {
	ID    string
	Began time.Time
	Start *winnow.Start
	// End is nil while the run goes on, and if it was cut off.
	End  *winnow.End
	Live bool
}

// Summarise reads the first and the last line of a record, whatever lies
// between. A record without its first line has no summary yet.
func (f Folder) Summarise(id string) (*Summary, error) {
	file, err := os.Open(f.Path(id))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &Summary{ID: id, Live: held(file)}
	s.Began, _ = time.Parse(idTime, id[:min(len(id), len(idTime))]) // a file of another name has no beginning
	first, err := firstLine(file)
	if err != nil {
		return nil, err
	}
	e, err := decode(first)
	if err != nil {
		return nil, err
	}
	if s.Start = e.Start; s.Start == nil {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: "the record does not begin with a start event"}
	}
	last, err := lastLine(file)
	if err != nil {
		return nil, err
	}
	if e, err := decode(last); err == nil && e.Rollout == 0 {
		s.End = e.End
	}
	return s, nil
}

func firstLine(f *os.File) ([]byte, error) {
	var line []byte
	block := make([]byte, 16<<10)
	for {
		n, err := f.Read(block)
		if i := bytes.IndexByte(block[:n], '\n'); i >= 0 {
			return append(line, block[:i]...), nil
		}
		line = append(line, block[:n]...)
		if err == io.EOF {
			return nil, &winnow.Error{Code: winnow.Corrupt, Message: "the record has no whole line yet"}
		}
		if err != nil {
			return nil, err
		}
	}
}

// lastLine is the last whole line, read from the end.
func lastLine(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var tail []byte
	for at, size := info.Size(), int64(16<<10); at > 0; size *= 2 {
		n := min(size, at)
		at -= n
		block := make([]byte, n)
		if _, err := f.ReadAt(block, at); err != nil {
			return nil, err
		}
		tail = append(block, tail...)
		end := bytes.LastIndexByte(tail, '\n')
		if end < 0 {
			continue
		}
		if from := bytes.LastIndexByte(tail[:end], '\n'); from >= 0 || at == 0 {
			return tail[from+1 : end], nil
		}
	}
	return nil, nil
}
