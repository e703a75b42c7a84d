// Package filter decides what a search may return: Chroma's where over metadata,
// Chroma's where_document over text, and globs over paths.
//
// A filter arrives as JSON from people, models and other programs, so parsing is
// strict about meaning and kind about form: every error is one sentence that
// says where the fault is and what to write instead. What comes out is a tree of
// six node types that an index walks to build bitmaps; [Match] evaluates the
// same tree on one record and is the definition that an index must agree with.
//
// Where we differ from Chroma:
//   - Several keys in one object, or several operators on one key, mean "and".
//     Chroma refuses them; [JSON] writes the explicit $and that it wants.
//   - $gt, $gte, $lt and $lte also compare strings, in byte order, so that ISO
//     dates work. Chroma compares numbers only.
//   - Integers and floats compare by their exact values, also beyond 2^53.
//
// As in Chroma, values of different types are never equal and never ordered, and
// $ne and $nin are the exact negations of $eq and $in: they hold for records
// that lack the key. Traded away: nested metadata, lists as values and a general
// $not, which Chroma's wire format does not have either.
package filter

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// Expr is a filter: one of [And], [Or], [In], [Range], [Contains] and [Regex].
type Expr interface{ expr() }

// And holds where all of its parts do; the empty And always holds.
type And []Expr

// Or holds where one of its parts does; the parser never returns an empty one.
type Or []Expr

// In holds where the record has the key with one of the values, and with Not
// where it does not. It stands for $eq, $ne, $in and $nin.
type In struct {
	Key string
	// Values are string, bool, int64 or float64. Parsing makes every whole
	// number that fits an int64; stored metadata may hold the equal float64.
	Values []any
	Not    bool
}

// Range holds where the record has the key with a value of the same kind (number
// or string) on the right side of Value.
type Range struct {
	Key   string
	Op    Op
	Value any
}

// Op is an order relation.
type Op string

const (
	Gt  Op = "$gt"
	Gte Op = "$gte"
	Lt  Op = "$lt"
	Lte Op = "$lte"
)

// Holds reports whether the relation holds for a value that compares to the
// bound as order says: negative for below, 0 for equal, positive for above.
func (op Op) Holds(order int) bool {
	switch op {
	case Gt:
		return order > 0
	case Gte:
		return order >= 0
	case Lt:
		return order < 0
	default:
		return order <= 0
	}
}

// Contains holds where the text has Text in it, byte for byte, and with Not
// where it does not.
type Contains struct {
	Text string
	Not  bool
}

// Regex holds where Pattern matches somewhere in the text, and with Not where it
// does not.
type Regex struct {
	Pattern *regexp.Regexp
	Not     bool
}

func (And) expr()      {}
func (Or) expr()       {}
func (In) expr()       {}
func (Range) expr()    {}
func (Contains) expr() {}
func (Regex) expr()    {}

// Match reports whether a record with this metadata and text passes the filter.
func Match(e Expr, meta winnow.Metadata, text string) bool {
	holds := func(e Expr) bool { return Match(e, meta, text) }
	switch e := e.(type) {
	case And:
		return !slices.ContainsFunc(e, func(e Expr) bool { return !holds(e) })
	case Or:
		return slices.ContainsFunc(e, holds)
	case In:
		return e.Not != slices.ContainsFunc(e.Values, func(v any) bool {
			order, ok := Compare(meta[e.Key], v)
			return ok && order == 0
		})
	case Range:
		order, ok := Compare(meta[e.Key], e.Value)
		return ok && e.Op.Holds(order)
	case Contains:
		return e.Not != strings.Contains(text, e.Text)
	case Regex:
		return e.Not != e.Pattern.MatchString(text)
	}
	return false
}

// JSON writes a filter in Chroma's syntax. Filters that differ only in form
// ($eq or the shorthand, implicit or explicit $and, 1 or 1.0) come out the same,
// so the text can be sent to Chroma or be the key of a cache.
func JSON(e Expr) json.RawMessage {
	raw, err := json.Marshal(object(e))
	if err != nil {
		panic("filter: a value that is no string, bool, int64 or finite float64: " + err.Error())
	}
	return raw
}

func object(e Expr) map[string]any {
	switch e := e.(type) {
	case And:
		if len(e) == 0 {
			return map[string]any{}
		}
		return map[string]any{"$and": objects(e)}
	case Or:
		return map[string]any{"$or": objects(e)}
	case In:
		if len(e.Values) == 1 {
			return map[string]any{e.Key: map[string]any{either(e.Not, "$ne", "$eq"): e.Values[0]}}
		}
		return map[string]any{e.Key: map[string]any{either(e.Not, "$nin", "$in"): e.Values}}
	case Range:
		return map[string]any{e.Key: map[string]any{string(e.Op): e.Value}}
	case Contains:
		return map[string]any{either(e.Not, "$not_contains", "$contains"): e.Text}
	case Regex:
		return map[string]any{either(e.Not, "$not_regex", "$regex"): e.Pattern.String()}
	}
	return nil
}

func objects(list []Expr) []any {
	var all []any
	for _, e := range list {
		all = append(all, object(e))
	}
	return all
}

func either(negated bool, yes, no string) string {
	if negated {
		return yes
	}
	return no
}
