package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/open"
)

// shelf is what can be reached: collections by name, and folders that were given
// when the desk was opened. A name in a request is looked up here and never
// becomes a path.
type shelf struct {
	desk     *Desk
	folders  []*folder
	maxFiles int
	// first is what is searched where a request names nothing; missing is why
	// there is nothing.
	first   []string
	missing error
	// remote are the addresses of collections on Chroma servers that were given.
	remote map[string]bool
	// only are the named collections that can be reached; nil means all.
	only map[string]bool

	mu   sync.Mutex
	fill chan struct{} // wakes the filling of vectors
	todo []string      // collections that may lack some

	writing sync.Mutex // one write at a time: a second one would find the collection locked
}

// folder is a folder that is kept up to date.
type folder struct {
	name    string // of its collection: the real path
	settled chan struct{}

	mu          sync.Mutex
	err         error // of the last update
	done, total int   // files of the update under way
}

func newShelf(d *Desk) (*shelf, error) {
	o := &d.options
	s := &shelf{desk: d, remote: map[string]bool{}, fill: make(chan struct{}, 1)}
	where, maxFiles, err := o.Where.Or(o.Dir, o.Config)
	if err != nil {
		s.missing = err // named collections can be searched all the same
	}
	s.maxFiles = maxFiles
	if len(o.Where.Collections) > 0 {
		s.only = map[string]bool{}
	}
	for _, path := range where.In {
		c, err := o.Home.Folder(path)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(s.first, c.Name) {
			s.first = append(s.first, c.Name)
			s.folders = append(s.folders, &folder{name: c.Name, settled: make(chan struct{})})
		}
	}
	for _, name := range where.Collections {
		if name, err = s.give(name); err != nil {
			return nil, err
		}
		if !slices.Contains(s.first, name) {
			s.first = append(s.first, name)
		}
	}
	s.todo = slices.Clone(s.first)
	return s, nil
}

// give makes a collection reachable that was given when the desk was opened.
func (s *shelf) give(name string) (string, error) {
	address, err := open.Address(name)
	if err != nil {
		return "", err
	}
	if address != "" {
		s.remote[address] = true
		return address, nil
	}
	home := s.desk.options.Home
	c, err := home.Named(name)
	if err != nil || !c.Exists() {
		if c, err = home.Find(name); err != nil { // which says what there is instead
			return "", err
		}
	}
	if c.Kind() == open.KindFolder { // given by its path
		s.folders = append(s.folders, &folder{name: c.Name, settled: make(chan struct{})})
	}
	s.admit(c.Name)
	return c.Name, nil
}

func (s *shelf) folder(name string) *folder {
	if i := slices.IndexFunc(s.folders, func(f *folder) bool { return f.name == name }); i >= 0 {
		return s.folders[i]
	}
	return nil
}

func (s *shelf) reachable(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.only == nil || s.only[name]
}

// admit makes a collection reachable that was created here.
func (s *shelf) admit(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.only != nil {
		s.only[name] = true
	}
}

// find returns a collection that can be reached.
func (s *shelf) find(name string) (*open.Collection, error) {
	home := s.desk.options.Home
	if s.folder(name) != nil {
		return home.Find(name)
	}
	if s.reachable(name) {
		if c, err := home.Named(name); err == nil && c.Exists() {
			return c, nil
		}
	}
	known, err := s.names()
	if err != nil {
		return nil, err
	}
	hint := "create it first"
	if len(known) > 0 {
		hint = strings.Join(known[:min(len(known), 10)], ", ")
	}
	return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no collection %q here", name), Hint: hint}
}

// names are those that can be reached, the default ones first.
func (s *shelf) names() ([]string, error) {
	names := slices.Clone(s.first)
	all, err := s.desk.options.Home.Collections()
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.Kind() != open.KindFolder && s.reachable(c.Name) && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names, nil
}

// resolve are the names of what a request searches.
func (s *shelf) resolve(names []string) ([]string, error) {
	if len(names) == 0 {
		if len(s.first) == 0 {
			known, err := s.names()
			if err != nil {
				return nil, err
			}
			if len(known) == 0 {
				return nil, s.missing
			}
			return nil, &winnow.Error{Code: winnow.BadInput, Message: "the request names no collection, and there is no default", Hint: "collections: " + strings.Join(known[:min(len(known), 10)], ", ")}
		}
		return s.first, nil
	}
	for _, name := range names {
		if s.folder(name) != nil || s.remote[name] {
			continue // it may not be indexed yet
		}
		if _, err := s.find(name); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// open pins what names stand for. It waits for folders that are being indexed
// for the first time, no longer than ctx and patience allow, and then takes what
// there is.
func (s *shelf) open(ctx context.Context, names []string, patience time.Duration) (*open.Opened, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var collections []*open.Collection
	var addresses, warnings []string
	for _, name := range names {
		if s.remote[name] {
			addresses = append(addresses, name)
			continue
		}
		f := s.folder(name)
		if f != nil && !f.wait(waiting) {
			warnings = append(warnings, f.progress())
		}
		c, err := s.find(name)
		if err != nil {
			if f != nil {
				err = f.why()
			}
			return nil, err
		}
		collections = append(collections, c)
	}
	o, err := s.desk.keeper.OpenWith(ctx, addresses, collections...)
	if err != nil {
		return nil, err
	}
	o.Warnings = append(o.Warnings, warnings...)
	return o, nil
}

// settle notes that a folder has been brought up to date, or why not.
func (f *folder) settle(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	select {
	case <-f.settled:
	default:
		close(f.settled)
	}
}

func (f *folder) told(done, total int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done, f.total = done, total
}

func (f *folder) progress() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total == 0 {
		return f.name + " is still being indexed"
	}
	return fmt.Sprintf("%s is still being indexed: %d of %d files so far", f.name, f.done, f.total)
}

// why says why a folder can't be searched.
func (f *folder) why() error {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return &winnow.Error{Code: winnow.Unavailable, Message: f.progress(), Hint: "ask again in a moment"}
}

// wait reports whether the folder has been brought up to date before ctx ends.
func (f *folder) wait(ctx context.Context) bool {
	select {
	case <-f.settled:
	case <-ctx.Done():
	}
	return f.isSettled()
}

func (f *folder) isSettled() bool {
	select {
	case <-f.settled:
		return true
	default:
		return false
	}
}

// tend keeps the folders up to date and fills in vectors behind, until the desk
// drains.
func (s *shelf) tend() {
	for _, f := range s.folders {
		s.desk.work.Go(func() { s.watch(f) })
	}
	s.desk.work.Go(s.fillIn)
	s.wake()
}

func (s *shelf) watch(f *folder) {
	d := s.desk
	c, err := d.options.Home.Folder(f.name)
	if err != nil {
		f.settle(err)
		return
	}
	maxFiles := s.maxFiles
	if c.Exists() { // it was asked for once
		maxFiles = 0
	}
	o := open.UpdateOptions{Language: d.options.Config.Language, MaxFiles: maxFiles, Models: d.keeper.Models(), Progress: f.told}
	err = c.Watch(d.ctx, o, func(u *open.Update, err error) error {
		f.settle(err)
		if err == nil && (u.Put > 0 || u.Deleted > 0) {
			s.lacks(f.name)
		}
		return nil // the next change may mend it
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		f.settle(err)
	}
}

// lacks notes that a collection may lack vectors.
func (s *shelf) lacks(name string) {
	s.mu.Lock()
	if !slices.Contains(s.todo, name) {
		s.todo = append(s.todo, name)
	}
	s.mu.Unlock()
	s.wake()
}

func (s *shelf) wake() {
	select {
	case s.fill <- struct{}{}:
	default:
	}
}

// fillAgain is when a collection whose vectors could not be filled in is tried
// again: the server of a remote model may be back, or the process that was at it
// gone.
const fillAgain = time.Minute

// fillIn computes vectors while nothing else goes on.
func (s *shelf) fillIn() {
	for {
		select {
		case <-s.desk.ctx.Done():
			return
		case <-s.fill:
		}
		s.mu.Lock()
		todo := s.todo
		s.todo = nil
		s.mu.Unlock()
		for _, name := range todo {
			if err := s.fillOne(name); err != nil && s.desk.ctx.Err() == nil {
				time.AfterFunc(fillAgain, func() { s.lacks(name) })
			}
		}
	}
}

func (s *shelf) fillOne(name string) error {
	if s.remote[name] {
		return nil // whose vectors are its server's
	}
	if f := s.folder(name); f != nil && !f.wait(s.desk.ctx) {
		return nil
	}
	c, err := s.find(name)
	if err != nil {
		return nil // it is gone, and so is what it lacks
	}
	return c.FillBehind(s.desk.ctx, s.desk.keeper.Models(), s.desk.queue.standBack)
}
