package serve

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// Codes of problems that only a server has.
const (
	methodNotAllowed = "method_not_allowed"
	tooLarge         = "too_large"
	unauthorized     = "unauthorized"
	forbidden        = "forbidden"
	queueFull        = "queue_full"
	internal         = "internal"
)

// problem is an error with the status it is answered with.
type problem struct {
	wire.Problem
	retry time.Duration
}

func (p *problem) Error() string { return p.Detail }

func fault(status int, code, hint, detail string) *problem {
	return &problem{Problem: wire.Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Detail: detail, Hint: hint}}
}

// statusOf is the status of a code.
func statusOf(code winnow.Code) int {
	switch code {
	case winnow.BadInput, winnow.BadFilter, winnow.BadPattern:
		return http.StatusBadRequest
	case winnow.NotFound:
		return http.StatusNotFound
	case winnow.Exists:
		return http.StatusConflict
	case winnow.TooMuch:
		return http.StatusUnprocessableEntity
	case winnow.Locked, winnow.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// problemOf is an error as it is told. What is not known to be fit for a stranger
// is not told: it may name paths and addresses.
func problemOf(err error) (p *problem, known bool) {
	var full *desk.Full
	var e *winnow.Error
	switch {
	case errors.As(err, &p):
		return p, true
	case errors.As(err, &full):
		p = fault(http.StatusTooManyRequests, queueFull, full.Problem.Hint, full.Problem.Message)
		p.retry = full.RetryAfter
		return p, true
	case errors.As(err, &e):
		p = fault(statusOf(e.Code), string(e.Code), e.Hint, e.Message)
		if p.Status == http.StatusServiceUnavailable {
			p.retry = time.Second
		}
		return p, p.Status != http.StatusInternalServerError
	case errors.Is(err, context.DeadlineExceeded):
		return fault(http.StatusGatewayTimeout, string(winnow.TooMuch), "a smaller question, or more time", "the request took too long"), true
	case errors.Is(err, context.Canceled):
		return fault(http.StatusServiceUnavailable, string(winnow.Unavailable), "ask again", "the request was cancelled"), true
	}
	return fault(http.StatusInternalServerError, internal, "the server's log", "something failed that should not have"), false
}

// problem is an error as the request is told of it, and as whoever runs the server
// is, where it is not the request's.
func (s *Server) problem(r *http.Request, err error) *problem {
	p, known := problemOf(err)
	if !known && s.options.Failed != nil {
		s.options.Failed(r.Method+" "+r.URL.Path, err)
	}
	return p
}

// fail answers with a problem.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := s.problem(r, err)
	if p.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retry.Seconds()))))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	hurry(w)
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p.Problem) // who has left does not read it
}

// reply answers with a document.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	hurry(w)
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.Encode(v) // who has left does not read it
}

// replyTime is how long a reader may take for a whole document.
const replyTime = 2 * time.Minute

// hurry gives up a reader that does not take a reply in time.
func hurry(w http.ResponseWriter) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(replyTime)) // not every connection can
}
