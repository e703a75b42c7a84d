package open

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// homeVariable names the folder of all state.
const homeVariable = "WINNOW_HOME"

// DefaultHome is the folder of all state: $WINNOW_HOME, or winnow in the folder
// in which the system keeps a user's data.
func DefaultHome() (string, error) {
	if dir := os.Getenv(homeVariable); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "darwin" {
		return filepath.Join(dir, "winnow"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &winnow.Error{Code: winnow.BadInput, Message: "there is no home folder to keep state in",
			Hint: "set " + homeVariable + " to a folder", Err: err}
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "winnow"), nil
	}
	return filepath.Join(home, ".local", "share", "winnow"), nil
}

// Home is the folder that holds all state. Nothing is ever written into a
// folder that is searched.
//
//	folders/NAME-HASH/    a collection of a path: a cache of what lies there
//	collections/NAME/     a collection with a name of its own
//	chroma/NAME-HASH/     what is kept of a collection of Chroma: a cache
type Home struct{ dir string }

// NewHome returns the home in dir, which need not exist yet.
func NewHome(dir string) Home { return Home{dir} }

// Dir is the folder.
func (h Home) Dir() string { return h.dir }

const (
	foldersName     = "folders"
	collectionsName = "collections"
)

// Folder returns the collection of a path, which may be there already or come
// into being with its first update. It is keyed by the real path: two ways to
// the same folder lead to the same collection.
func (h Home) Folder(path string) (*Collection, error) {
	real, err := realPath(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(real))
	name := slug(filepath.Base(real)) + "-" + hex.EncodeToString(sum[:8])
	c := &Collection{Name: real, dir: filepath.Join(h.dir, foldersName, name)}
	c.record.Roots = []string{real}
	return c, c.load()
}

// Named returns the collection with a name, which may come into being with its
// first update.
func (h Home) Named(name string) (*Collection, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	c := &Collection{Name: name, dir: filepath.Join(h.dir, collectionsName, name)}
	c.record.Name = name
	return c, c.load()
}

// Find returns a collection that exists, by name or path.
func (h Home) Find(nameOrPath string) (*Collection, error) {
	if namePattern.MatchString(nameOrPath) {
		c, err := h.Named(nameOrPath)
		if err != nil || c.Exists() {
			return c, err
		}
	}
	if c, err := h.Folder(nameOrPath); err == nil && c.Exists() {
		return c, nil
	}
	all, err := h.Collections()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, c := range all {
		if c.Name == nameOrPath { // of a folder that is gone
			return c, c.Err
		}
		known[c.Name] = true
	}
	hint := suggest(nameOrPath, known)
	if hint == "" {
		hint = "winnow index --collection " + nameOrPath + " PATH makes it"
	}
	return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no collection %q", nameOrPath), Hint: hint}
}

// Collections lists everything that is there: named collections first, then
// those of folders, by name. One that can't be read is listed with its error.
func (h Home) Collections() ([]*Collection, error) {
	var all []*Collection
	for _, kind := range []string{collectionsName, foldersName} {
		entries, err := os.ReadDir(filepath.Join(h.dir, kind))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		from := len(all)
		for _, e := range entries {
			c := &Collection{dir: filepath.Join(h.dir, kind, e.Name())}
			c.Err = c.load()
			switch {
			case c.Err == nil && !c.Exists(): // removed, or never made
				continue
			case c.record.Name != "":
				c.Name = c.record.Name
			case len(c.record.Roots) > 0:
				c.Name = c.record.Roots[0]
			default:
				c.Name = e.Name()
			}
			all = append(all, c)
		}
		slices.SortFunc(all[from:], func(a, b *Collection) int { return cmp.Compare(a.Name, b.Name) })
	}
	return all, nil
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func checkName(name string) error {
	if namePattern.MatchString(name) {
		return nil
	}
	return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%q is no name for a collection", name),
		Hint: "letters, digits, dots, dashes and underscores, at most 64; use --in for a path"}
}

// realPath is the one absolute path of a file or folder.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &winnow.Error{Code: winnow.NotFound, Message: "there is no file or folder " + path, Hint: "check the path"}
	}
	return real, err
}

// slug makes the part of a folder's name that people recognise it by.
func slug(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 40)]
}

// Weights is the folder of weights that were trained here.
func (h Home) Weights() string { return filepath.Join(h.dir, "weights") }
