package ingest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Editors and version control write files in bursts: a burst is over when
// nothing happened for quiet, and is not waited for longer than patience.
const (
	quiet    = 250 * time.Millisecond
	patience = 2 * time.Second
)

// Where the system can't watch, it is asked again and again: not more often than
// pollEvery, and with at most a twentieth of the time spent on it.
const (
	pollEvery = 2 * time.Second
	pollShare = 20
)

// Watch calls changed once, and then each time after files under the roots have
// changed, until the context ends or changed fails. Changes to files that a sync
// would leave out by name do not count. Where the system can't watch so many
// folders, changed is called from time to time instead.
func Watch(ctx context.Context, opts Options, changed func(context.Context) error) error {
	roots, err := openRoots(opts.Roots)
	if err != nil {
		return err
	}
	defer closeRoots(roots)
	notifier, err := fsnotify.NewWatcher()
	if err != nil {
		return poll(ctx, changed)
	}
	defer notifier.Close()
	w := &watch{roots: roots, maxFiles: opts.MaxFiles, notifier: notifier, folders: map[string]folder{}}
	for {
		// Folders are watched before they are read, so that what changes while
		// they are read is noticed.
		if err := w.follow(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return poll(ctx, changed)
		}
		if err := changed(ctx); err != nil {
			return err
		}
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
}

// poll calls changed at intervals.
func poll(ctx context.Context, changed func(context.Context) error) error {
	for {
		start := time.Now()
		if err := changed(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(pollEvery, pollShare*time.Since(start))):
		}
	}
}

// watch is what is being watched.
type watch struct {
	roots    []*root
	maxFiles int
	notifier *fsnotify.Watcher
	folders  map[string]folder // by path
}

// follow watches the folders that are there now.
func (w *watch) follow(ctx context.Context) error {
	tree, err := walk(ctx, w.roots, w.maxFiles)
	if err != nil {
		return err
	}
	for _, r := range w.roots {
		if r.file != "" {
			tree.folders = append(tree.folders, folder{root: r})
		}
	}
	now := make(map[string]folder, len(tree.folders))
	for _, f := range tree.folders {
		name := filepath.Join(f.root.Name(), filepath.FromSlash(f.name))
		if _, twice := now[name]; twice {
			continue // a file that was named lies in a folder that was
		}
		now[name] = f
		if _, known := w.folders[name]; known {
			continue
		}
		if err := w.notifier.Add(name); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	for name := range w.folders {
		if _, still := now[name]; !still {
			// One that was removed is no longer watched anyway.
			_ = w.notifier.Remove(name)
		}
	}
	w.folders = now
	return nil
}

// wait returns after a burst of changes.
func (w *watch) wait(ctx context.Context) error {
	var burst, end <-chan time.Time // nil until something happens
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event := <-w.notifier.Events:
			if !w.counts(event) {
				continue
			}
			burst = time.After(quiet)
			if end == nil {
				end = time.After(patience)
			}
		case <-w.notifier.Errors: // events were lost
			return nil
		case <-burst:
			return nil
		case <-end:
			return nil
		}
	}
}

// counts reports whether an event may change what a sync finds.
func (w *watch) counts(event fsnotify.Event) bool {
	if event.Op == fsnotify.Chmod {
		return false
	}
	folder, name := filepath.Split(event.Name)
	f, known := w.folders[filepath.Clean(folder)]
	switch {
	case !known, name == ".gitignore", name == ".winnowignore":
		return true
	case f.root.file != "":
		return name == f.root.file
	}
	var mode fs.FileMode // of what is gone: taken for a file
	if info, err := os.Lstat(event.Name); err == nil {
		mode = info.Mode()
	}
	if f.name != "" {
		return f.rules.skip(f.name+"/"+name, name, mode) == ""
	}
	return f.rules.skip(name, name, mode) == ""
}
