package trigram

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Query is a condition on the trigrams of a text: a conjunction (And) or
// disjunction (Or) of its trigrams and its sub-queries. The zero Query always
// holds.
//
// To leave out parts of an And is safe: the answer only grows. An index that has
// few candidates left does well to skip the rest, above all a long Or whose lists
// together are longer than the candidates.
type Query struct {
	Op       Op
	Trigrams []Trigram // ascending
	Sub      []Query   // of And: Ors; of Or: Ands
}

// Op says how the parts of a Query are joined.
type Op uint8

const (
	All  Op = iota // holds for every text; has no parts
	None           // holds for no text; has no parts
	And            // all parts hold
	Or             // one part holds
)

// Holds reports whether the query holds for a text that has the trigrams for
// which has returns true.
func (q Query) Holds(has func(Trigram) bool) bool {
	fails := func(sub Query) bool { return !sub.Holds(has) }
	lacks := func(t Trigram) bool { return !has(t) }
	switch q.Op {
	case And:
		return !slices.ContainsFunc(q.Trigrams, lacks) && !slices.ContainsFunc(q.Sub, fails)
	case Or:
		return slices.ContainsFunc(q.Trigrams, has) || slices.ContainsFunc(q.Sub, func(sub Query) bool { return sub.Holds(has) })
	}
	return q.Op == All
}

// String writes the query for people: "abc" & ("bcd" | "bce"). A long list of
// alternatives is cut.
func (q Query) String() string {
	const most = 12
	switch q.Op {
	case All:
		return "all"
	case None:
		return "none"
	}
	var parts []string
	for _, t := range q.Trigrams {
		parts = append(parts, t.String())
	}
	for _, sub := range q.Sub {
		parts = append(parts, "("+sub.String()+")")
	}
	if q.Op == And {
		return strings.Join(parts, " & ")
	}
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, " | ")
}

// maxLeaves bounds a query. Above it conjunctions drop their largest parts and
// disjunctions say nothing. A pattern of 1,000 bytes has at most 998 trigrams in
// its literals.
const maxLeaves = 2000

func (q Query) leaves() int {
	n := len(q.Trigrams)
	for _, sub := range q.Sub {
		n += sub.leaves()
	}
	return n
}

// and joins queries into the simplest conjunction: flat, and without
// alternatives that one of its own trigrams already grants.
func and(queries ...Query) Query {
	joined := Query{Op: And}
	for _, q := range queries {
		switch q.Op {
		case None:
			return q
		case And:
			joined.Trigrams = append(joined.Trigrams, q.Trigrams...)
			joined.Sub = append(joined.Sub, q.Sub...)
		case Or:
			joined.Sub = append(joined.Sub, q)
		}
	}
	joined.normalise()
	joined.Sub = slices.DeleteFunc(joined.Sub, func(sub Query) bool { return sub.Holds(joined.lists) })
	for n := joined.leaves(); n > maxLeaves && len(joined.Sub) > 0; {
		last := len(joined.Sub) - 1
		n -= joined.Sub[last].leaves()
		joined.Sub = joined.Sub[:last]
	}
	return joined.reduced()
}

// or joins queries into the simplest disjunction, with the trigrams that all of
// them need taken out in front: abc&bcd | abc&bce becomes abc & (bcd | bce).
func or(queries ...Query) Query {
	queries = slices.DeleteFunc(slices.Clone(queries), func(q Query) bool { return q.Op == None })
	if len(queries) == 0 {
		return Query{Op: None}
	}
	common := Query{Op: And, Trigrams: queries[0].required()}
	for _, q := range queries[1:] {
		own := Query{Trigrams: q.required()}
		common.Trigrams = slices.DeleteFunc(common.Trigrams, func(t Trigram) bool { return !own.lists(t) })
	}
	joined := Query{Op: Or}
	for _, q := range queries {
		if q.Op == And {
			q.Trigrams = slices.DeleteFunc(q.required(), common.lists)
			q = q.reduced()
		}
		switch {
		case q.Op == All:
			return common.reduced()
		case q.Op == Or || len(q.Trigrams) == 1 && len(q.Sub) == 0:
			joined.Trigrams = append(joined.Trigrams, q.Trigrams...)
			joined.Sub = append(joined.Sub, q.Sub...)
		default:
			joined.Sub = append(joined.Sub, q)
		}
	}
	joined.normalise()
	joined.Sub = slices.DeleteFunc(joined.Sub, func(sub Query) bool { return slices.ContainsFunc(sub.Trigrams, joined.lists) })
	if joined.leaves() > maxLeaves {
		return common.reduced()
	}
	return and(common, joined.reduced())
}

// required returns a copy of the trigrams without which q does not hold.
func (q Query) required() []Trigram {
	if q.Op != And {
		return nil
	}
	return slices.Clone(q.Trigrams)
}

// lists reports whether t is one of the query's own trigrams.
func (q Query) lists(t Trigram) bool {
	_, found := slices.BinarySearch(q.Trigrams, t)
	return found
}

// normalise sorts the parts, sub-queries by size, and drops duplicates.
func (q *Query) normalise() {
	slices.Sort(q.Trigrams)
	q.Trigrams = slices.Compact(q.Trigrams)
	slices.SortFunc(q.Sub, compare)
	q.Sub = slices.CompactFunc(q.Sub, func(a, b Query) bool { return compare(a, b) == 0 })
}

// compare orders queries of one Op, small ones first.
func compare(a, b Query) int {
	return cmp.Or(
		cmp.Compare(a.leaves(), b.leaves()),
		slices.Compare(a.Trigrams, b.Trigrams),
		slices.CompareFunc(a.Sub, b.Sub, compare),
	)
}

// reduced replaces a query without parts by All and one around a single
// sub-query by that; a single trigram is an And.
func (q Query) reduced() Query {
	switch {
	case len(q.Trigrams) == 0 && len(q.Sub) == 0:
		return Query{}
	case len(q.Trigrams) == 0 && len(q.Sub) == 1:
		return q.Sub[0]
	case len(q.Trigrams) == 1 && len(q.Sub) == 0:
		q.Op = And
	}
	return q
}
