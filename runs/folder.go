// Package runs keeps recorded runs on disk: a file of events for each, in one
// folder that is capped in size.
//
// A record is written as the run happens and holds all text that was shown, so
// that it can be told again without the corpus, also when the run was killed.
package runs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
)

// Folder is where runs are recorded. The newest are kept.
type Folder struct {
	Dir   string
	most  int   // runs
	bytes int64 // of all together
}

const (
	suffix = ".jsonl"
	// idTime is the form of the time that ids begin with.
	idTime = "20060102-150405.000"
)

// In is the folder of runs below the home folder of all state.
func In(home string) Folder {
	return Folder{Dir: filepath.Join(home, "runs"), most: 500, bytes: 200 << 20}
}

// NewID names a run that begins now. Names sort by time; the hash tells runs
// apart that begin together.
func NewID(question string) string {
	now := time.Now().UTC()
	hash := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", now.UnixNano(), os.Getpid(), question))
	return fmt.Sprintf("%s-%x", now.Format(idTime), hash[:3])
}

// Path is the file of a run.
func (f Folder) Path(id string) string { return filepath.Join(f.Dir, id+suffix) }

// List returns the ids, oldest first.
func (f Folder) List() (ids []string) {
	entries, _ := os.ReadDir(f.Dir) // sorted; a folder that is not there holds none
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), suffix); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// Trim removes the oldest runs beyond what is kept. The newest always stays.
// What can't be removed now is met again next time.
func (f Folder) Trim() {
	var sum int64
	ids := f.List()
	slices.Reverse(ids)
	for i, id := range ids {
		if info, err := os.Stat(f.Path(id)); err == nil {
			sum += info.Size()
		}
		if i > 0 && (i >= f.most || sum > f.bytes) {
			os.Remove(f.Path(id))
		}
	}
}

// Find returns the id and the file of a run: "last", the beginning of one id, or
// the path of a file, which has no id.
func (f Folder) Find(name string) (id, path string, err error) {
	ids := f.List()
	var fits []string
	for _, id := range ids {
		if strings.HasPrefix(id, name) {
			fits = append(fits, id)
		}
	}
	switch {
	case name == "last" && len(ids) > 0:
		id = ids[len(ids)-1]
		return id, f.Path(id), nil
	case slices.Contains(fits, name) || len(fits) == 1:
		id = fits[0] // an id sorts before what it begins
		return id, f.Path(id), nil
	case isFile(name):
		return "", name, nil
	case len(fits) > 1 && name != "":
		return "", "", &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%d runs begin with %q", len(fits), name), Hint: fits[len(fits)-1] + ", the newest of them"}
	case len(ids) == 0:
		return "", "", &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no run %q: none is recorded yet", name), Hint: "winnow ask"}
	}
	return "", "", &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no run %q", name), Hint: "last, or " + ids[len(ids)-1]}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
