package desk

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/winnow-search/winnow/open"
)

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
	again := time.NewTimer(fillAgain)
	defer again.Stop()
	var failed []string
	for {
		var todo []string
		select {
		case <-s.desk.ctx.Done():
			return
		case <-s.fill:
			s.mu.Lock()
			todo, s.todo = s.todo, nil
			s.mu.Unlock()
		case <-again.C:
			todo, failed = failed, nil
		}
		for _, name := range todo {
			if err := s.fillOne(name); err != nil && !slices.Contains(failed, name) {
				failed = append(failed, name)
				again.Reset(fillAgain)
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
