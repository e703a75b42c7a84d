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
	return find(s, w, r, func(ctx context.Context, q *wire.QueryRequest) (any, error) {
		found, err := s.desk.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		return found.Query, nil
	})
}

func (s *Server) grep(w http.ResponseWriter, r *http.Request) error {
	return find(s, w, r, func(ctx context.Context, q *wire.GrepRequest) (any, error) {
		lines, err := s.desk.Grep(ctx, q)
		if err != nil {
			return nil, err
		}
		return lines.Grep, nil
	})
}

func (s *Server) read(w http.ResponseWriter, r *http.Request) error {
	return find(s, w, r, func(ctx context.Context, q *wire.ReadRequest) (any, error) {
		text, err := s.desk.Read(ctx, q)
		if err != nil {
			return nil, err
		}
		return text.Read, nil
	})
}

// find answers a request that takes one look, in its turn.
func find[T any](s *Server, w http.ResponseWriter, r *http.Request, look func(context.Context, *T) (any, error)) error {
	q, err := decode[T](w, r, s.options.MaxBody)
	if err != nil {
		return err
	}
	ctx, done, err := s.turn(r)
	if err != nil {
		return err
	}
	defer done()
	answer, err := look(ctx, q)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, answer)
	return nil
}
