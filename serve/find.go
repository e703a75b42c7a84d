package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/winnow-search/winnow/wire"
)

// searchTime bounds a search, the wait for its turn included.
const searchTime = time.Minute

// turn waits until a search may begin; done ends it.
func (s *Server) turn(r *http.Request) (ctx context.Context, done func(), err error) {
	ctx, cancel := context.WithTimeout(r.Context(), searchTime)
	select {
	case s.searches <- struct{}{}:
		return ctx, func() { <-s.searches; cancel() }, nil
	case <-ctx.Done():
		cancel()
		return nil, nil, ctx.Err()
	}
}

func (s *Server) query(w http.ResponseWriter, r *http.Request) error {
	q, err := decode[wire.QueryRequest](w, r, s.options.MaxBody)
	if err != nil {
		return err
	}
	ctx, done, err := s.turn(r)
	if err != nil {
		return err
	}
	defer done()
	found, err := s.desk.Query(ctx, q)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, found.Query)
	return nil
}

func (s *Server) grep(w http.ResponseWriter, r *http.Request) error {
	q, err := decode[wire.GrepRequest](w, r, s.options.MaxBody)
	if err != nil {
		return err
	}
	ctx, done, err := s.turn(r)
	if err != nil {
		return err
	}
	defer done()
	lines, err := s.desk.Grep(ctx, q)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, lines.Grep)
	return nil
}

func (s *Server) read(w http.ResponseWriter, r *http.Request) error {
	q, err := decode[wire.ReadRequest](w, r, s.options.MaxBody)
	if err != nil {
		return err
	}
	ctx, done, err := s.turn(r)
	if err != nil {
		return err
	}
	defer done()
	text, err := s.desk.Read(ctx, q)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, text.Read)
	return nil
}
