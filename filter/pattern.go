package filter

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/winnow-search/winnow"
)

const (
	maxPattern = 1000 // bytes
	// maxWeight bounds the steps that matching may take per byte of text. Ten
	// times .{0,1000}, a pattern of 90 bytes, took 250 ms for a text of 2 kB.
	maxWeight = 2500
)

// CompilePattern compiles a regular expression that comes from outside, for
// where_document and for grep: RE2 syntax, at most 1,000 bytes, and not too
// large once its counted repeats are written out. Errors are *winnow.Error with
// code BadPattern.
func CompilePattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, badPattern("a shorter pattern", "the pattern has %d bytes, more than %d", len(pattern), maxPattern)
	}
	// Weighed before it is compiled, which for the heaviest takes 60 ms and 30 MB.
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil && weight(tree) > maxWeight {
		return nil, badPattern("* or + where {n,m} is large", "the pattern has %d steps once its repeats are written out, more than %d", weight(tree), maxWeight)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, badPattern(patternHint(err), "the pattern does not compile: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

func patternHint(err error) string {
	var fault *syntax.Error
	if errors.As(err, &fault) && (fault.Code == syntax.ErrInvalidPerlOp || fault.Code == syntax.ErrInvalidEscape) {
		return "RE2 syntax, which has no lookaround and no backreferences"
	}
	return "a backslash before . * + ? ( ) [ ] { } | to match them as text"
}

func badPattern(hint, format string, args ...any) error {
	return &winnow.Error{Code: winnow.BadPattern, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// weight is the number of characters in a pattern once its counted repeats are
// written out. The parser refuses repeats that multiply to more than 1,000, so it
// can't overflow.
func weight(re *syntax.Regexp) int {
	if re.Op == syntax.OpLiteral {
		return len(re.Rune)
	}
	if len(re.Sub) == 0 {
		return 1
	}
	w := 0
	for _, sub := range re.Sub {
		w += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		w *= max(re.Min, re.Max, 1)
	}
	return w
}
