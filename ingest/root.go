package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/winnow-search/winnow"
)

// root is a folder, or a single file in one, opened so that nothing outside can
// be reached through it.
type root struct {
	*os.Root
	path   string // the real path
	prefix string // of ids, with a slash; "" where there is one root
	file   string // the name of the file, where the root is one
	above  *rules // ignore files of the folders above, up to the repository's
}

// openRoots opens the places to index. Where there are several folders, each is
// known by its name, or by as much of its path as tells them apart.
func openRoots(paths []string) ([]*root, error) {
	var roots []*root
	for _, p := range paths {
		r, err := openRoot(p)
		if err != nil {
			closeRoots(roots)
			return nil, err
		}
		roots = append(roots, r)
	}
	if len(roots) > 1 {
		for i, r := range roots {
			if r.file == "" {
				r.prefix = distinctName(roots, i) + "/"
			}
		}
	}
	return roots, nil
}

func closeRoots(roots []*root) {
	for _, r := range roots {
		r.Close()
	}
}

func openRoot(name string) (*root, error) {
	real, err := filepath.Abs(name)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(real)
	}
	if err != nil {
		return nil, rootError(name, err)
	}
	r := &root{path: real}
	folder := real
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return nil, &winnow.Error{Code: winnow.BadInput, Message: name + " is neither a folder nor a regular file"}
		}
		folder, r.file = filepath.Split(real)
	}
	if r.Root, err = os.OpenRoot(folder); err != nil {
		return nil, rootError(name, err)
	}
	r.above = rulesAbove(folder)
	return r, nil
}

func rootError(name string, err error) error {
	code, hint := winnow.NotFound, "check the path"
	if errors.Is(err, fs.ErrPermission) {
		code, hint = winnow.BadInput, "check who may read it"
	}
	return &winnow.Error{Code: code, Message: "can't read " + name, Hint: hint, Err: err}
}

// distinctName returns the shortest end of a root's path that no other root
// shares.
func distinctName(roots []*root, i int) string {
	parts := strings.Split(strings.Trim(filepath.ToSlash(roots[i].path), "/"), "/")
	for n := 1; n <= len(parts); n++ {
		name := path.Join(parts[len(parts)-n:]...)
		unique := true
		for j, other := range roots {
			if i != j && other.file == "" && strings.HasSuffix("/"+filepath.ToSlash(other.path), "/"+name) {
				unique = false
			}
		}
		if unique {
			return safeName(name)
		}
	}
	return safeName(path.Join(parts...))
}

// rulesAbove reads the .gitignore files between a folder and the root of the
// repository that it lies in, so that indexing a part of a repository leaves out
// what indexing the whole does.
func rulesAbove(folder string) *rules {
	if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
		return nil
	}
	var found []*rules // nearest first
	lead := ""
	for at := filepath.Clean(folder); ; {
		parent := filepath.Dir(at)
		if parent == at {
			return nil // not in a repository
		}
		lead = filepath.Base(at) + "/" + lead
		at = parent
		if data, err := os.ReadFile(filepath.Join(at, ".gitignore")); err == nil {
			found = append(found, &rules{lead: lead, patterns: parsePatterns(decode(data), false)})
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
	}
	for i := range len(found) - 1 {
		found[i].above = found[i+1]
	}
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// open opens a file for reading, if it is a regular one; a pipe that took its
// place would block.
func (r *root) open(name string) (*os.File, error) {
	f, err := r.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = skipSpecial
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// read returns the beginning of a file, at most limit bytes.
func (r *root) read(name string, limit int) ([]byte, error) {
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, min(info.Size(), int64(limit))+1)
	for len(data) < limit {
		n, err := f.Read(data[len(data):min(cap(data), limit)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)] // the file grew meanwhile
		}
	}
	return data, nil
}
