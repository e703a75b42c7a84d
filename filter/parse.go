package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// Limits on what is accepted from outside. They bound the work of parsing and of
// matching one record; no filter written by hand comes near them.
const (
	maxSize       = 64 << 10 // bytes of JSON
	maxDepth      = 32       // levels of $and and $or
	maxConditions = 1000
	maxPatterns   = maxPattern // bytes of all regular expressions together
)

var (
	logicOps = []string{"$and", "$or"}
	valueOps = []string{"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin"}
	textOps  = []string{"$contains", "$not_contains", "$regex", "$not_regex"}
)

const (
	whereExample    = `{"year": {"$gte": 2001}}`
	documentExample = `{"$contains": "text"}`
)

// Parse reads a where, a filter over metadata. No JSON, null and {} mean
// everything. Errors are *winnow.Error with code BadFilter.
func Parse(where json.RawMessage) (Expr, error) {
	return parse("where", where, (*parser).metadataClause)
}

// ParseDocument reads a where_document, a filter over text, in the same way; a
// regular expression that can't be used gives code BadPattern.
func ParseDocument(whereDocument json.RawMessage) (Expr, error) {
	return parse("where_document", whereDocument, (*parser).textClause)
}

func parse(field string, raw json.RawMessage, clause func(*parser, string, int) (Expr, error)) (Expr, error) {
	p := &parser{field: field, raw: raw, clause: clause, dec: json.NewDecoder(bytes.NewReader(raw))}
	if len(raw) > maxSize {
		return nil, p.fail("a filter with fewer values", "has %d bytes, more than %d", len(raw), maxSize)
	}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		return And{}, nil
	}
	// One check of the syntax up front: after it no token can be malformed.
	var syntax *json.SyntaxError
	if err := json.Unmarshal(raw, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, p.fail(p.example(), "is not JSON: %v at byte %d", syntax, syntax.Offset)
	}
	p.dec.UseNumber()
	e, err := p.object()
	if err != nil {
		return nil, err
	}
	if d := depth(e); d > maxDepth {
		return nil, p.fail("a flatter filter", "nests $and and $or %d deep, more than %d", d, maxDepth)
	}
	return e, nil
}

func depth(e Expr) int {
	var parts []Expr
	switch e := e.(type) {
	case And:
		parts = e
	case Or:
		parts = e
	default:
		return 0
	}
	deepest := 0
	for _, part := range parts {
		deepest = max(deepest, depth(part))
	}
	return deepest + 1
}

// parser reads tokens and not a decoded tree, because tokens keep positions and
// keys that occur twice.
type parser struct {
	field  string // "where" or "where_document", for messages
	raw    []byte
	dec    *json.Decoder
	clause func(p *parser, key string, at int) (Expr, error)
	at     int // where the token read last begins

	conditions   int
	patternBytes int
}

func (p *parser) next() json.Token {
	p.at = int(p.dec.InputOffset())
	for p.at < len(p.raw) && strings.IndexByte(" \t\r\n,:", p.raw[p.at]) >= 0 {
		p.at++
	}
	token, _ := p.dec.Token()
	return token
}

// object reads {"key": …, …}: the conjunction of its members.
func (p *parser) object() (Expr, error) {
	if token := p.next(); token != json.Delim('{') {
		return nil, p.fail(p.example(), "needs an object at byte %d, not %s", p.at, kind(token))
	}
	var all []Expr
	for p.dec.More() {
		key := p.next().(string)
		read := p.clause
		if slices.Contains(logicOps, key) {
			read = (*parser).logicClause
		}
		e, err := read(p, key, p.at)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	p.next()
	return conjunction(all), nil
}

func (p *parser) logicClause(op string, at int) (Expr, error) {
	list, err := readList(p, op, at, fmt.Sprintf(`{"%s": [%s, …]}`, op, p.example()), p.object)
	if err != nil {
		return nil, err
	}
	if op == "$or" {
		return disjunction(list), nil
	}
	return conjunction(list), nil
}

// metadataClause reads what follows a key of a where: a value, or an object of
// operators.
func (p *parser) metadataClause(key string, at int) (Expr, error) {
	if slices.Contains(valueOps, key) {
		return nil, p.fail(whereExample, "has %q at byte %d without a key before it", key, at)
	}
	if strings.HasPrefix(key, "$") {
		return nil, p.unknownOperator(key, at, logicOps)
	}
	token := p.next()
	if token != json.Delim('{') {
		if err := p.count(); err != nil {
			return nil, err
		}
		v, err := p.value(token, "a string, a number, true, false or an object of operators")
		return In{Key: key, Values: []any{v}}, err
	}
	var all []Expr
	for p.dec.More() {
		op := p.next().(string)
		e, err := p.operator(key, op, p.at)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	p.next()
	if len(all) == 0 {
		return nil, p.fail(whereExample, "has no operator for the key %s at byte %d", quote(key), at)
	}
	return conjunction(all), nil
}

func (p *parser) operator(key, op string, at int) (Expr, error) {
	if err := p.count(); err != nil {
		return nil, err
	}
	switch op {
	case "$eq", "$ne":
		v, err := p.value(p.next(), "a string, a number, true or false")
		return In{Key: key, Values: []any{v}, Not: op == "$ne"}, err
	case "$in", "$nin":
		values, err := readList(p, op, at, fmt.Sprintf(`{%s: {"%s": ["a", "b"]}}`, quote(key), op), func() (any, error) {
			return p.value(p.next(), "strings, numbers, true or false")
		})
		return In{Key: key, Values: values, Not: op == "$nin"}, err
	case "$gt", "$gte", "$lt", "$lte":
		token := p.next()
		if b, isBool := token.(bool); isBool {
			return nil, p.fail(fmt.Sprintf(`{%s: %t}`, quote(key), b), "needs a number or a string at byte %d, not %s", p.at, kind(token))
		}
		v, err := p.value(token, "a number or a string")
		return Range{Key: key, Op: Op(op), Value: v}, err
	}
	return nil, p.unknownOperator(op, at, valueOps)
}

func (p *parser) textClause(op string, at int) (Expr, error) {
	if !slices.Contains(textOps, op) {
		if !strings.HasPrefix(op, "$") {
			return nil, p.fail(fmt.Sprintf(`where: {%s: …}`, quote(op)), "filters text and can't use the key %s at byte %d", quote(op), at)
		}
		return nil, p.unknownOperator(op, at, slices.Concat(textOps, logicOps))
	}
	if err := p.count(); err != nil {
		return nil, err
	}
	token := p.next()
	text, ok := token.(string)
	if !ok || text == "" {
		return nil, p.fail(fmt.Sprintf(`{"%s": "text"}`, op), "needs a string that is not empty at byte %d, not %s", p.at, kind(token))
	}
	not := strings.HasPrefix(op, "$not")
	if strings.HasSuffix(op, "contains") {
		return Contains{Text: text, Not: not}, nil
	}
	re, err := CompilePattern(text)
	if err != nil {
		return nil, err
	}
	if p.patternBytes += len(text); p.patternBytes > maxPatterns {
		return nil, p.fail("$contains, or one pattern with |", "has more than %d bytes of patterns at byte %d", maxPatterns, p.at)
	}
	return Regex{Pattern: re, Not: not}, nil
}

func readList[T any](p *parser, op string, at int, example string, item func() (T, error)) ([]T, error) {
	if token := p.next(); token != json.Delim('[') {
		return nil, p.fail(example, "needs a list after %q at byte %d, not %s", op, p.at, kind(token))
	}
	var list []T
	for p.dec.More() {
		v, err := item()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	p.next()
	if len(list) == 0 {
		return nil, p.fail(example, "has an empty list after %q at byte %d", op, at)
	}
	return list, nil
}

func (p *parser) value(token json.Token, want string) (any, error) {
	switch v := token.(type) {
	case string, bool:
		return v, nil
	case json.Number:
		if n, ok := number(v); ok {
			return n, nil
		}
		return nil, p.fail("a number below 1.8e308", "has a number at byte %d that is too large", p.at)
	}
	hint := whereExample
	if token == json.Delim('[') {
		hint = `{"key": {"$in": ["a", "b"]}}`
	}
	return nil, p.fail(hint, "needs %s at byte %d, not %s", want, p.at, kind(token))
}

func (p *parser) count() error {
	if p.conditions++; p.conditions > maxConditions {
		return p.fail("one $in with many values, or one pattern with |", "has more than %d conditions", maxConditions)
	}
	return nil
}

func (p *parser) unknownOperator(op string, at int, known []string) error {
	hint := "one of " + strings.Join(known, ", ")
	if slices.Contains(textOps, op) {
		hint = fmt.Sprintf(`where_document: {"%s": "text"}`, op)
	} else if near := nearest(op, known); near != "" {
		hint = near
	}
	return p.fail(hint, "has the unknown operator %s at byte %d", quote(op), at)
}

func (p *parser) example() string {
	if p.field == "where" {
		return whereExample
	}
	return documentExample
}

func (p *parser) fail(hint, format string, args ...any) error {
	return &winnow.Error{Code: winnow.BadFilter, Message: p.field + " " + fmt.Sprintf(format, args...), Hint: hint}
}

// conjunction and disjunction keep trees flat and without trivial parts, so that
// filters of one meaning tend to have one form.
func conjunction(list []Expr) Expr {
	all := And{}
	for _, e := range list {
		if inner, ok := e.(And); ok {
			all = append(all, inner...)
		} else {
			all = append(all, e)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

func disjunction(list []Expr) Expr {
	var all Or
	for _, e := range list {
		switch e := e.(type) {
		case Or:
			all = append(all, e...)
		case And:
			if len(e) == 0 {
				return And{}
			}
			all = append(all, e)
		default:
			all = append(all, e)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

func kind(token json.Token) string {
	switch token := token.(type) {
	case nil:
		return "null"
	case string:
		if token == "" {
			return "an empty string"
		}
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	}
	if token == json.Delim('[') {
		return "a list"
	}
	return "an object"
}
