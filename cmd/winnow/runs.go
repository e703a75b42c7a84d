package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/open"
)

// runs is the folder of recorded runs, the newest of which are kept.
type runs struct {
	dir   string
	most  int   // runs
	bytes int64 // of all together
}

const runSuffix = ".jsonl"

func (c *cli) runs() (runs, error) {
	home, err := open.DefaultHome()
	return runs{dir: filepath.Join(home, "runs"), most: 500, bytes: 200 << 20}, err
}

// newRunID names a run that begins now. Names sort by time; the hash tells runs
// apart that begin together.
func newRunID(question string) string {
	now := time.Now().UTC()
	hash := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", now.UnixNano(), os.Getpid(), question))
	return fmt.Sprintf("%s-%x", now.Format("20060102-150405.000"), hash[:3])
}

func (r runs) path(id string) string { return filepath.Join(r.dir, id+runSuffix) }

// list returns the ids, oldest first.
func (r runs) list() (ids []string) {
	entries, _ := os.ReadDir(r.dir) // sorted; a folder that is not there holds none
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), runSuffix); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// trim removes the oldest runs beyond what is kept. The newest always stays.
// What can't be removed now is met again next time.
func (r runs) trim() {
	var sum int64
	ids := r.list()
	slices.Reverse(ids)
	for i, id := range ids {
		if info, err := os.Stat(r.path(id)); err == nil {
			sum += info.Size()
		}
		if i > 0 && (i >= r.most || sum > r.bytes) {
			os.Remove(r.path(id))
		}
	}
}

// find returns the id and the file of a run: "last", the beginning of one id, or
// the path of a file, which has no id.
func (r runs) find(name string) (id, path string, err error) {
	ids := r.list()
	var fits []string
	for _, id := range ids {
		if strings.HasPrefix(id, name) {
			fits = append(fits, id)
		}
	}
	switch {
	case name == "last" && len(ids) > 0:
		id = ids[len(ids)-1]
		return id, r.path(id), nil
	case slices.Contains(fits, name) || len(fits) == 1:
		id = fits[0] // an id sorts before what it begins
		return id, r.path(id), nil
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
