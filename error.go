package winnow

import "errors"

// Code classifies a failure for callers that act on it: a policy that rewords
// its call, a command that picks an exit status, a server that picks a reply.
type Code string

const (
	BadPattern  Code = "bad_pattern"   // a regular expression that does not compile or is too large
	BadFilter   Code = "bad_filter"    // a where that does not parse or names an unknown key
	BadInput    Code = "bad_input"     // any other argument that can't be used
	NotFound    Code = "not_found"     // no such document, chunk, collection
	Exists      Code = "exists"        // what should be made is there already
	Corrupt     Code = "corrupt"       // a file fails its checksum
	TooNew      Code = "too_new"       // written by a later version
	Locked      Code = "locked"        // another process is writing
	Unavailable Code = "unavailable"   // a back end does not answer; worth a retry
	TooMuch     Code = "limit_reached" // a limit on time or size struck
)

// Error is a failure as data: one sentence, and a hint that helps.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Hint says what to do instead; a fragment that reads well after "try:".
	Hint string `json:"hint,omitempty"`
	Err  error  `json:"-"`
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first *Error in err's chain, or "".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
