package eval

import (
	"fmt"

	"github.com/winnow-search/winnow"
)

// Kind classifies what is wrong with a data set.
type Kind string

const (
	// The first four stop a load.
	Malformed     Kind = "malformed"      // a record that can't be read
	Empty         Kind = "empty"          // no questions, or no documents
	Duplicate     Kind = "duplicate"      // an id twice
	UnknownFormat Kind = "unknown_format" // nothing we know how to read

	// The others cost a question and are listed in [Dataset.Problems].
	GoldOutside Kind = "gold_outside" // gold that no search could return
	Unusable    Kind = "unusable"     // a record that is no question: unverified, unanswerable, without text
)

// Problem is a fault of a data set and the place where it is.
type Problem struct {
	Kind Kind   `json:"kind"`
	File string `json:"file"`
	// Line counts from 1; 0 means the whole file.
	Line     int    `json:"line,omitempty"`
	Question string `json:"question,omitempty"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

func (p *Problem) Error() string {
	switch {
	case p.File == "":
		return p.Message
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Unwrap lets callers treat a Problem like every other error of bad input.
func (p *Problem) Unwrap() error {
	return &winnow.Error{Code: winnow.BadInput, Message: p.Message, Hint: p.Hint}
}

// position is a place in a file; line 0 is the file as a whole.
type position struct {
	file string
	line int
}

func (p position) problem(k Kind, format string, args ...any) *Problem {
	return &Problem{Kind: k, File: p.file, Line: p.line, Message: fmt.Sprintf(format, args...)}
}
