package desk

import (
	"context"
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
