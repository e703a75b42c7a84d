package folder

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/winnow-search/winnow"
)

// Home is where runs lie that were given no folder of their own.
type Home struct{ Dir string }

// In is the home of evaluation runs below the home folder of all state.
func In(home string) Home { return Home{filepath.Join(home, "evals")} }

// NewID names a run that begins now. Names sort by time.
func NewID(s *Setup) string {
	var random [2]byte
	rand.Read(random[:]) // tells apart what begins in the same second
	return fmt.Sprintf("%s-%s-%s-%x", time.Now().UTC().Format("20060102-150405"), Slug(s.Dataset), Slug(s.Name()), random)
}

// Slug makes a name of letters, digits and dashes, for folders.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	slug := strings.Join(words, "-")
	return cmp.Or(strings.TrimRight(slug[:min(40, len(slug))], "-"), "run")
}

// List returns the ids of the runs, oldest first.
func (h Home) List() (ids []string) {
	entries, _ := os.ReadDir(h.Dir) // sorted; a folder that is not there holds none
	for _, e := range entries {
		if Is(filepath.Join(h.Dir, e.Name())) {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// Is reports whether a folder holds a run.
func Is(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil && info.Mode().IsRegular()
}

// Find returns the folder of a run: the path of one, an id or the beginning of
// one, or "last".
func (h Home) Find(name string) (dir string, err error) {
	if Is(name) {
		return name, nil
	}
	ids := h.List()
	fits := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return name == "" || !strings.HasPrefix(id, name) })
	switch {
	case name == "last" && len(ids) > 0:
		return filepath.Join(h.Dir, ids[len(ids)-1]), nil
	case slices.Contains(fits, name) || len(fits) == 1:
		return filepath.Join(h.Dir, fits[0]), nil // an id sorts before what it begins
	case len(fits) > 1:
		return "", &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%d runs begin with %q", len(fits), name), Hint: fits[len(fits)-1] + ", the newest of them"}
	case len(ids) == 0:
		return "", &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no run %q: none is kept yet", name), Hint: "winnow eval"}
	}
	return "", &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no run %q", name), Hint: "a run folder, last, or " + ids[len(ids)-1]}
}

// Newest returns the newest run that was made with a setup, finished or not, or
// "": of several runs that one command makes, the first may be whole when the
// second is cut short.
func (h Home) Newest(s *Setup) string {
	ids := h.List()
	slices.Reverse(ids)
	for _, id := range ids {
		m, err := readManifest(filepath.Join(h.Dir, id))
		if err == nil && len(m.Setup.differences(s)) == 0 {
			return filepath.Join(h.Dir, id)
		}
	}
	return ""
}
