package filter

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestParseReadsEveryForm(t *testing.T) {
	for _, c := range []struct{ where, want string }{
		{``, `{}`},
		{` null `, `{}`},
		{`{}`, `{}`},
		{`{"a": 1}`, `{"a":{"$eq":1}}`},
		{`{"a": {"$eq": true}}`, `{"a":{"$eq":true}}`},
		{`{"a": {"$ne": "x"}}`, `{"a":{"$ne":"x"}}`},
		{`{"a": {"$gt": 1.5}}`, `{"a":{"$gt":1.5}}`},
		{`{"date": {"$gte": "2001-01-01"}}`, `{"date":{"$gte":"2001-01-01"}}`},
		{`{"a": {"$in": [1, "b", false]}}`, `{"a":{"$in":[1,"b",false]}}`},
		{`{"a": {"$nin": [1, 2]}}`, `{"a":{"$nin":[1,2]}}`},
		{`{"a": {"$in": [1]}}`, `{"a":{"$eq":1}}`},
		{`{"a": 1, "b": 2}`, `{"$and":[{"a":{"$eq":1}},{"b":{"$eq":2}}]}`},
		{`{"a": 1, "a": 2}`, `{"$and":[{"a":{"$eq":1}},{"a":{"$eq":2}}]}`},
		{`{"a": {"$gt": 1, "$lt": 5}}`, `{"$and":[{"a":{"$gt":1}},{"a":{"$lt":5}}]}`},
		{`{"$and": [{"a": 1}, {"$and": [{"b": 2}, {"c": 3}]}]}`, `{"$and":[{"a":{"$eq":1}},{"b":{"$eq":2}},{"c":{"$eq":3}}]}`},
		{`{"$or": [{"a": 1}, {"b": 2, "c": 3}]}`, `{"$or":[{"a":{"$eq":1}},{"$and":[{"b":{"$eq":2}},{"c":{"$eq":3}}]}]}`},
		{`{"$or": [{"a": 1}, {}]}`, `{}`},
		{`{"$or": [{"$or": [{"a": 1}, {"b": 1}]}, {"c": 1}]}`, `{"$or":[{"a":{"$eq":1}},{"b":{"$eq":1}},{"c":{"$eq":1}}]}`},
		{`{"$and": [{"a": 1}]}`, `{"a":{"$eq":1}}`},
		{`{"a": 1.0, "b": -0.0, "c": 1e3}`, `{"$and":[{"a":{"$eq":1}},{"b":{"$eq":0}},{"c":{"$eq":1000}}]}`},
		{`{"a": 9007199254740993}`, `{"a":{"$eq":9007199254740993}}`},
		{`{"a": 18446744073709551616}`, `{"a":{"$eq":18446744073709552000}}`},
	} {
		e, err := Parse(json.RawMessage(c.where))
		if err != nil {
			t.Errorf("%s: %v", c.where, err)
			continue
		}
		if got := string(JSON(e)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.where, got, c.want)
		}
	}
}

func TestParseDocumentReadsEveryForm(t *testing.T) {
	for _, c := range []struct{ where, want string }{
		{`{"$contains": "x"}`, `{"$contains":"x"}`},
		{`{"$not_contains": "x"}`, `{"$not_contains":"x"}`},
		{`{"$regex": "a+b"}`, `{"$regex":"a+b"}`},
		{`{"$not_regex": "a+b"}`, `{"$not_regex":"a+b"}`},
		{`{"$contains": "x", "$regex": "y"}`, `{"$and":[{"$contains":"x"},{"$regex":"y"}]}`},
		{`{"$or": [{"$contains": "x"}, {"$contains": "y"}]}`, `{"$or":[{"$contains":"x"},{"$contains":"y"}]}`},
	} {
		e, err := ParseDocument(json.RawMessage(c.where))
		if err != nil {
			t.Errorf("%s: %v", c.where, err)
			continue
		}
		if got := string(JSON(e)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.where, got, c.want)
		}
	}
}

func TestErrorsSayWhereAndWhatInstead(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct{ where, message, hint string }{
		{`{"a": 1`, `where is not JSON: unexpected end of JSON input at byte 7`, whereExample},
		{`year > 2001`, `where is not JSON: invalid character 'y' looking for beginning of value at byte 1`, whereExample},
		{`{"a": 1} x`, `where is not JSON: invalid character 'x' after top-level value at byte 10`, whereExample},
		{`[1]`, `where needs an object at byte 0, not a list`, whereExample},
		{`"x"`, `where needs an object at byte 0, not a string`, whereExample},
		{`{"a": {"$gtee": 1}}`, `where has the unknown operator "$gtee" at byte 7`, `$gte`},
		{`{"a": {"gte": 1}}`, `where has the unknown operator "gte" at byte 7`, `$gte`},
		{`{"a": {"$like": 1}}`, `where has the unknown operator "$like" at byte 7`, `one of $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin`},
		{`{"$not": {"a": 1}}`, `where has the unknown operator "$not" at byte 1`, `one of $and, $or`},
		{`{"$contains": "x"}`, `where has the unknown operator "$contains" at byte 1`, `where_document: {"$contains": "text"}`},
		{`{"a": {"$contains": "x"}}`, `where has the unknown operator "$contains" at byte 7`, `where_document: {"$contains": "text"}`},
		{`{"$gt": 1}`, `where has "$gt" at byte 1 without a key before it`, whereExample},
		{`{"a": null}`, `where needs a string, a number, true, false or an object of operators at byte 6, not null`, whereExample},
		{`{"a": [1]}`, `where needs a string, a number, true, false or an object of operators at byte 6, not a list`, `{"key": {"$in": ["a", "b"]}}`},
		{`{"a": {"$eq": {}}}`, `where needs a string, a number, true or false at byte 14, not an object`, whereExample},
		{`{"a": {"$gt": true}}`, `where needs a number or a string at byte 14, not true or false`, `{"a": true}`},
		{`{"a": {"$gt": [1]}}`, `where needs a number or a string at byte 14, not a list`, `{"key": {"$in": ["a", "b"]}}`},
		{`{"a": {"$in": 1}}`, `where needs a list after "$in" at byte 14, not a number`, `{"a": {"$in": ["a", "b"]}}`},
		{`{"a": {"$in": []}}`, `where has an empty list after "$in" at byte 7`, `{"a": {"$in": ["a", "b"]}}`},
		{`{"a": {"$in": [1, {"b": 2}]}}`, `where needs strings, numbers, true or false at byte 18, not an object`, whereExample},
		{`{"a": {"$in": [1, null]}}`, `where needs strings, numbers, true or false at byte 18, not null`, whereExample},
		{`{"$or": {"a": 1}}`, `where needs a list after "$or" at byte 8, not an object`, `{"$or": [{"year": {"$gte": 2001}}, …]}`},
		{`{"$and": []}`, `where has an empty list after "$and" at byte 1`, `{"$and": [{"year": {"$gte": 2001}}, …]}`},
		{`{"$and": ["a"]}`, `where needs an object at byte 10, not a string`, whereExample},
		{`{"a": {}}`, `where has no operator for the key "a" at byte 1`, whereExample},
		{`{"a": 1e999}`, `where has a number at byte 6 that is too large`, `a number below 1.8e308`},
		{`{"a": "` + long + `"}`, `where has 100009 bytes, more than 65536`, `a filter with fewer values`},
		{nested(33), `where nests $and and $or 33 deep, more than 32`, `a flatter filter`},
		{`{"$and": [` + strings.Repeat(`{"a": 1},`, 1000) + `{"a": 1}]}`, `where has more than 1000 conditions`, `one $in with many values, or one pattern with |`},
		{`{"` + long[:70] + `": {}}`, `where has no operator for the key "` + long[:64] + `…" at byte 1`, whereExample},
	} {
		_, err := Parse(json.RawMessage(c.where))
		wantError(t, c.where, err, winnow.BadFilter, c.message, c.hint)
	}
}

func TestDocumentErrorsSayWhereAndWhatInstead(t *testing.T) {
	const escape = `a backslash before . * + ? ( ) [ ] { } | to match them as text`
	for _, c := range []struct {
		where         string
		code          winnow.Code
		message, hint string
	}{
		{`{"year": 2001}`, winnow.BadFilter, `where_document filters text and can't use the key "year" at byte 1`, `where: {"year": …}`},
		{`{"$containz": "x"}`, winnow.BadFilter, `where_document has the unknown operator "$containz" at byte 1`, `$contains`},
		{`{"$contains": 5}`, winnow.BadFilter, `where_document needs a string that is not empty at byte 14, not a number`, `{"$contains": "text"}`},
		{`{"$and": [` + strings.Repeat(`{"$contains": "a"},`, 1000) + `{"$contains": "a"}]}`, winnow.BadFilter, `where_document has more than 1000 conditions`, `one $in with many values, or one pattern with |`},
		{`{"$contains": ""}`, winnow.BadFilter, `where_document needs a string that is not empty at byte 14, not an empty string`, `{"$contains": "text"}`},
		{`5`, winnow.BadFilter, `where_document needs an object at byte 0, not a number`, documentExample},
		{`{"$regex": "(a"}`, winnow.BadPattern, "the pattern does not compile: missing closing ): `(a`", escape},
		{`{"$regex": "(a)\\1"}`, winnow.BadPattern, "the pattern does not compile: invalid escape sequence: `\\1`", "RE2 syntax, which has no lookaround and no backreferences"},
		{`{"$regex": "(?=a)"}`, winnow.BadPattern, "the pattern does not compile: invalid or unsupported Perl syntax: `(?=`", "RE2 syntax, which has no lookaround and no backreferences"},
		{`{"$regex": "` + strings.Repeat("a", 1001) + `"}`, winnow.BadPattern, `the pattern has 1001 bytes, more than 1000`, `a shorter pattern`},
		{`{"$regex": ".{900}.{900}.{900}"}`, winnow.BadPattern, `the pattern has 2700 steps once its repeats are written out, more than 2500`, `* or + where {n,m} is large`},
		{fmt.Sprintf(`{"$regex": "%[1]s", "$not_regex": "%[1]s"}`, strings.Repeat("a", 600)), winnow.BadFilter, `where_document has more than 1000 bytes of patterns at byte 629`, `$contains, or one pattern with |`},
	} {
		_, err := ParseDocument(json.RawMessage(c.where))
		wantError(t, c.where, err, c.code, c.message, c.hint)
	}
}

func TestDepthUpToTheLimitIsAccepted(t *testing.T) {
	if _, err := Parse(json.RawMessage(nested(32))); err != nil {
		t.Error(err)
	}
}

// nested alternates $or and $and, which do not merge.
func nested(depth int) string {
	where := `{"a": 1}`
	for i := range depth {
		where = fmt.Sprintf(`{"%s": [{"b": 1}, %s]}`, logicOps[i%2], where)
	}
	return where
}

func wantError(t *testing.T, input string, err error, code winnow.Code, message, hint string) {
	t.Helper()
	if len(input) > 80 {
		input = input[:80] + "…"
	}
	var e *winnow.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: got error %v, want %q", input, err, message)
		return
	}
	if e.Code != code || e.Message != message || e.Hint != hint {
		t.Errorf("%s:\ngot  %s: %s; try: %s\nwant %s: %s; try: %s", input, e.Code, e.Message, e.Hint, code, message, hint)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a": 1}`, `{"a": {"$gt": -1.5e3, "$lte": "z"}, "b": true}`, `{"$or": [{"a": {"$in": [1, "x"]}}, {"b": {"$nin": [2]}}, {}]}`,
		`{"$and": [{"a": {"$ne": 1}}]}`, `null`, `[]`, `{"a": {`, nested(40), `{"\ud800": "\u0000"}`, `{"a": 18446744073709551616}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, where []byte) { fixpoint(t, where, Parse) })
}

func FuzzParseDocument(f *testing.F) {
	for _, seed := range []string{
		`{"$contains": "x"}`, `{"$not_regex": "(?i)a+|b{2,3}"}`, `{"$or": [{"$regex": "^x$"}, {"$not_contains": "y"}]}`, `{"$regex": "("}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, where []byte) { fixpoint(t, where, ParseDocument) })
}

// fixpoint checks that what parses is written in a form that parses to the same.
func fixpoint(t *testing.T, where []byte, parse func(json.RawMessage) (Expr, error)) {
	e, err := parse(where)
	if err != nil {
		if winnow.CodeOf(err) == "" {
			t.Fatalf("%s: untyped error %v", where, err)
		}
		return
	}
	Match(e, winnow.Metadata{"a": int64(1), "b": "x"}, "some text")
	written := JSON(e)
	if len(written) > maxSize {
		return
	}
	again, err := parse(written)
	if err != nil {
		t.Fatalf("%s: written as %s, which does not parse: %v", where, written, err)
	}
	if rewritten := JSON(again); string(rewritten) != string(written) {
		t.Fatalf("%s: written as %s, then as %s", where, written, rewritten)
	}
}
