package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-search/winnow"
)

// tree is what a walk found. All lists are sorted by path.
type tree struct {
	files   []file
	skipped []Note
	failed  []Note
	folders []folder // that were entered
}

// file is a file to be read.
type file struct {
	id   string // its path below the root, after the root's prefix, made safe
	name string // its path below the root as the system knows it
	root *root
	stat
}

// stat is what tells a changed file from an unchanged one without reading it.
type stat struct {
	size              int64
	modified, changed int64 // nanoseconds
}

// folder is a folder to be entered, "" for the root itself.
type folder struct {
	root  *root
	name  string
	rules *rules
}

// walk finds the files under the roots. Folders are listed in parallel: a walk
// is nothing but waiting for the file system.
func walk(ctx context.Context, roots []*root, maxFiles int) (*tree, error) {
	w := &walker{maxFiles: maxFiles}
	w.wake = sync.NewCond(&w.mu)
	for _, r := range roots {
		if r.file == "" {
			w.queue = append(w.queue, folder{root: r, rules: r.above})
		} else if err := w.single(r); err != nil {
			return nil, err
		}
	}
	stop := context.AfterFunc(ctx, func() { w.fail(ctx.Err()) })
	defer stop()
	var wg sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(w.work)
	}
	wg.Wait()
	if w.err != nil {
		return nil, w.err
	}
	slices.SortFunc(w.files, func(a, b file) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(w.skipped, compareNotes)
	slices.SortFunc(w.failed, compareNotes)
	slices.SortFunc(w.folders, func(a, b folder) int { return cmp.Compare(a.name, b.name) })
	w.files = slices.CompactFunc(w.files, func(a, b file) bool {
		if a.id == b.id {
			w.failed = append(w.failed, Note{b.id, "another file has the same name once it is made printable"})
		}
		return a.id == b.id
	})
	return &w.tree, nil
}

// walker is a walk in progress.
type walker struct {
	maxFiles int
	mu       sync.Mutex
	wake     *sync.Cond // signalled when the queue grows or the walk ends
	queue    []folder
	busy     int // folders being listed
	err      error
	tree
}

func (w *walker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.wake.Broadcast()
}

// work lists folders until none is left.
func (w *walker) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && w.busy > 0 && w.err == nil {
			w.wake.Wait()
		}
		if len(w.queue) == 0 || w.err != nil {
			w.wake.Broadcast()
			return
		}
		f := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.busy++
		w.mu.Unlock()
		found, below := list(f)
		w.mu.Lock()
		w.busy--
		w.files = append(w.files, found.files...)
		w.skipped = append(w.skipped, found.skipped...)
		w.failed = append(w.failed, found.failed...)
		w.folders = append(w.folders, found.folders...)
		w.queue = append(w.queue, below...)
		if w.maxFiles > 0 && len(w.files) > w.maxFiles && w.err == nil {
			w.err = &winnow.Error{
				Code: winnow.TooMuch, Message: fmt.Sprintf("there are more than %d files", w.maxFiles),
				Hint: "name the folder to search",
			}
		}
		w.wake.Broadcast()
	}
}

// single adds a root that is a file. It was named, so no rule leaves it out.
func (w *walker) single(r *root) error {
	info, err := r.Stat(r.file)
	if err != nil {
		return rootError(r.path, err)
	}
	w.files = append(w.files, file{id: safeName(r.file), name: r.file, root: r, stat: statOf(info)})
	return nil
}

func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), modified: info.ModTime().UnixNano(), changed: changeTime(info)}
}

// list reads one folder.
func list(f folder) (found tree, below []folder) {
	infos, err := readFolder(f)
	if err != nil {
		found.failed = append(found.failed, Note{strings.TrimSuffix(f.root.prefix+safeName(f.name), "/") + "/", reason(err)})
	}
	f.rules = folderRules(f, infos)
	found.folders = append(found.folders, f)
	found.files = make([]file, 0, len(infos))
	for _, info := range infos {
		name := info.Name()
		if f.name != "" {
			name = f.name + "/" + name
		}
		id := f.root.prefix + safeName(name)
		isFolder := info.IsDir()
		switch why := f.rules.skip(name, info.Name(), info.Mode()); {
		case why != "" && isFolder:
			found.skipped = append(found.skipped, Note{id + "/", string(why)})
		case why != "":
			found.skipped = append(found.skipped, Note{id, string(why)})
		case isFolder:
			below = append(below, folder{root: f.root, name: name, rules: f.rules})
		default:
			found.files = append(found.files, file{id: id, name: name, root: f.root, stat: statOf(info)})
		}
	}
	return found, below
}

// readFolder lists a folder with the attributes of what it holds, links not
// followed.
func readFolder(f folder) ([]fs.FileInfo, error) {
	name := "."
	if f.name != "" {
		name = filepath.FromSlash(f.name)
	}
	dir, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdir(-1)
}

// maxIgnoreFile bounds the ignore files that are read.
const maxIgnoreFile = 1 << 20

// folderRules adds the ignore files of a folder to the rules from above.
func folderRules(f folder, infos []fs.FileInfo) *rules {
	own := rules{above: f.rules, folder: f.name}
	for _, name := range [...]string{".gitignore", ".winnowignore"} { // the later decides
		present := slices.ContainsFunc(infos, func(i fs.FileInfo) bool { return i.Name() == name && i.Mode().IsRegular() })
		if !present {
			continue
		}
		if f.name != "" {
			name = f.name + "/" + name
		}
		// One that can't be read ignores nothing.
		if data, err := f.root.read(name, maxIgnoreFile); err == nil {
			own.patterns = append(own.patterns, parsePatterns(decode(data), filepath.Base(name) == ".winnowignore")...)
		}
	}
	if len(own.patterns) == 0 {
		return f.rules
	}
	return &own
}

// skip says why a file or folder is left out by its name and kind; "" if it is
// not.
func (r *rules) skip(name, base string, mode fs.FileMode) skip {
	switch {
	case mode&fs.ModeSymlink != 0:
		return skipLink
	case !mode.IsDir() && !mode.IsRegular():
		return skipSpecial
	}
	switch r.check(name, mode.IsDir()) {
	case ignored:
		return skipIgnored
	case ignoredOwn:
		return skipOwn
	case includedOwn:
		return ""
	}
	if mode.IsDir() {
		return skipFolder(base)
	}
	return skipFile(base)
}

// reason is the failure of a file in one sentence, without the path, which
// stands beside it.
func reason(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
