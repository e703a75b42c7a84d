package main

import (
	"context"
	"errors"
	"sync"

	"github.com/winnow-search/winnow/open"
)

// watch follows the files of the collections until the context ends, which is
// how a watch is meant to end: it is no failure. With --json every update that
// changed something is one object on a line. With fill, vectors follow each
// update.
func (c *cli) watch(ctx context.Context, collections []*open.Collection, o open.UpdateOptions, fill bool) error {
	c.note("Watching. Ctrl-C ends it; what was committed stays.")
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(collections))
	var mu sync.Mutex // one update speaks at a time
	var wg sync.WaitGroup
	for i, collection := range collections {
		wg.Go(func() {
			defer cancel() // without one of them the others are not what was asked for
			errs[i] = collection.Watch(watching, o, func(u *open.Update, err error) error {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case watching.Err() != nil:
					return watching.Err()
				case err != nil: // the next change may go better
					c.warn([]string{collection.Name + ": " + err.Error()})
				case u.Put+u.Deleted > 0:
					if err := c.tell(indexedOf(collection, u)); err != nil {
						return err
					}
					if fill { // the next change waits; what is embedded is kept
						if err := collection.Fill(watching, o.Models, nil); err != nil && watching.Err() == nil {
							c.warn([]string{collection.Name + ": " + err.Error()})
						}
					}
				}
				return nil
			})
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return errors.Join(errs...)
}
