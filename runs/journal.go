package runs

import (
	"os"
	"path/filepath"

	"github.com/winnow-search/winnow"
)

// Journal writes a run to a file as it happens, a line for each event, so that
// a run that is killed leaves all that it did. The file is made with the first
// event: a run that can't begin leaves none. A nil Journal writes nothing.
type Journal struct {
	path string
	// fresh wants a file of its own that only its owner reads, because it holds
	// text of documents that may be private.
	fresh bool
	file  *os.File
	err   error // the first
}

// Record is the journal of a run in the folder.
func (f Folder) Record(id string) *Journal { return &Journal{path: f.Path(id), fresh: true} }

// Trace is a journal in a file of the caller's, which it replaces.
func Trace(path string) *Journal { return &Journal{path: path} }

// Write writes an event and returns the first error there was.

func (j *Journal) Write(e *winnow.Event) error {
	if j == nil {
		return nil
	}
	if j.file == nil && j.err == nil {
		j.file, j.err = j.create()
	}
	if j.err == nil {
		j.err = winnow.WriteEvent(j.file, e)
	}
	return j.err
}

func (j *Journal) create() (*os.File, error) {
	if !j.fresh {
		return os.Create(j.path)
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(j.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return f, hold(f)
}

// Close returns the first error there was.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	if j.file != nil {
		if err := j.file.Close(); j.err == nil {
			j.err = err
		}
	}
	return j.err
}
