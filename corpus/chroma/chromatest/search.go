package chromatest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/winnow-search/winnow/filter"
)

// payload is one search of a request.
type payload struct {
	Filter  json.RawMessage `json:"filter"`
	Rank    json.RawMessage `json:"rank"`
	GroupBy *struct {
		Keys      []string                   `json:"keys"`
		Aggregate map[string]json.RawMessage `json:"aggregate"`
	} `json:"group_by"`
	Limit struct {
		Offset int `json:"offset"`
		Limit  int `json:"limit"`
	} `json:"limit"`
	Select struct {
		Keys []string `json:"keys"`
	} `json:"select"`
}

func (s *Server) search(c *collection, r *http.Request) (any, error) {
	var in struct {
		Searches  []payload `json:"searches"`
		ReadLevel string    `json:"read_level"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	out := struct {
		IDs       [][]string         `json:"ids"`
		Documents [][]*string        `json:"documents"`
		Metadatas [][]map[string]any `json:"metadatas"`
		Scores    [][]*float64       `json:"scores"`
		Vectors   []any              `json:"embeddings"`
		Select    []any              `json:"select"`
	}{}
	for _, p := range in.Searches {
		found, err := c.searched(&p)
		if err != nil {
			return nil, err
		}
		ids, documents, metadatas, scores := []string{}, []*string{}, []map[string]any{}, []*float64{}
		for _, f := range found {
			ids = append(ids, f.id)
			documents, metadatas, scores = append(documents, f.document), append(metadatas, f.metadata), append(scores, &f.score)
		}
		picks := func(key string) bool { return slices.Contains(p.Select.Keys, key) }
		if !picks("#document") {
			documents = nil
		}
		if !picks("#metadata") {
			metadatas = nil
		}
		if !picks("#score") {
			scores = nil
		}
		out.IDs, out.Documents, out.Metadatas = append(out.IDs, ids), append(out.Documents, documents), append(out.Metadatas, metadatas)
		out.Scores, out.Vectors, out.Select = append(out.Scores, scores), append(out.Vectors, nil), append(out.Select, p.Select.Keys)
	}
	return out, nil
}

// searched is the answer to one search.
func (c *collection) searched(p *payload) ([]scored, error) {
	if p.Limit.Limit < 1 || p.Limit.Limit > maxResults {
		return nil, quota("Number of results", p.Limit.Limit, maxResults)
	}
	predicates := 0
	passes := func(*stored) bool { return true }
	if len(p.Filter) > 0 && string(p.Filter) != "null" {
		var err error
		if passes, err = condition(p.Filter, &predicates); err != nil {
			return nil, err
		}
	}
	if predicates > maxPredicates {
		return nil, quota("Number of where predicates", predicates, maxPredicates)
	}
	var all []scored
	if len(p.Rank) == 0 || string(p.Rank) == "null" {
		for _, o := range c.records {
			if passes(o) {
				all = append(all, scored{o, 0})
			}
		}
	} else {
		e := &expression{c: c, passes: passes, met: map[*stored]bool{}, dropped: map[*stored]bool{}}
		score, err := e.build(p.Rank)
		if err != nil {
			return nil, err
		}
		for _, o := range c.records {
			if e.met[o] && !e.dropped[o] {
				all = append(all, scored{o, score(o)})
			}
		}
		slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	}
	if p.GroupBy != nil && len(p.GroupBy.Keys) > 0 {
		var k struct {
			Keys []string `json:"keys"`
			K    int      `json:"k"`
		}
		if err := json.Unmarshal(p.GroupBy.Aggregate["$min_k"], &k); err != nil || k.K < 1 || !slices.Equal(k.Keys, []string{"#score"}) {
			return nil, bad("group_by %s", p.GroupBy.Aggregate)
		}
		seen := map[string]int{}
		all = slices.DeleteFunc(all, func(f scored) bool {
			group := ""
			for _, key := range p.GroupBy.Keys {
				group += fmt.Sprintf("%v\x00", f.metadata[key])
			}
			seen[group]++
			return seen[group] > k.K
		})
	}
	all = all[min(p.Limit.Offset, len(all)):]
	return all[:min(p.Limit.Limit, len(all))], nil
}

// condition is a filter of the Search API, in which ids and texts are keys.
func condition(raw json.RawMessage, predicates *int) (func(*stored) bool, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || len(m) != 1 {
		return nil, bad("filter %s", raw)
	}
	for key, value := range m {
		switch key {
		case "$and", "$or":
			var list []json.RawMessage
			if err := json.Unmarshal(value, &list); err != nil || len(list) < 2 {
				return nil, bad("%s wants two conditions at least", key)
			}
			var of []func(*stored) bool
			for _, one := range list {
				f, err := condition(one, predicates)
				if err != nil {
					return nil, err
				}
				of = append(of, f)
			}
			return func(o *stored) bool {
				for _, f := range of {
					if f(o) == (key == "$or") {
						return key == "$or"
					}
				}
				return key == "$and"
			}, nil
		case "#id":
			*predicates++
			var ops map[string][]string
			if err := json.Unmarshal(value, &ops); err != nil || len(ops) != 1 {
				return nil, bad("filter on #id %s", value)
			}
			for op, ids := range ops {
				if op != "$in" && op != "$nin" {
					return nil, bad("filter on #id %s", op)
				}
				return func(o *stored) bool { return slices.Contains(ids, o.id) == (op == "$in") }, nil
			}
		case "#document":
			*predicates++
			if len(value) > maxPattern+32 {
				return nil, quota("Size of full text search", len(value), maxPattern)
			}
			e, err := filter.ParseDocument(value)
			if err != nil {
				return nil, bad("%v", err)
			}
			return func(o *stored) bool { return filter.Match(e, nil, text(o)) }, nil
		default:
			*predicates++
			e, err := filter.Parse(raw)
			if err != nil {
				return nil, bad("%v", err)
			}
			return func(o *stored) bool { return filter.Match(e, metadataOf(o), "") }, nil
		}
	}
	return nil, bad("an empty filter")
}

// expression is a rank as it is evaluated. A record must be in one list at
// least, and in every list that has no default.
type expression struct {
	c            *collection
	passes       func(*stored) bool
	met, dropped map[*stored]bool
}

func (e *expression) build(raw json.RawMessage) (func(*stored) float64, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || len(m) != 1 {
		return nil, bad("rank %.80s", raw)
	}
	for op, value := range m {
		switch op {
		case "$val":
			var v float64
			if err := json.Unmarshal(value, &v); err != nil {
				return nil, bad("$val %s", value)
			}
			return func(*stored) float64 { return v }, nil
		case "$sum", "$mul":
			var list []json.RawMessage
			if err := json.Unmarshal(value, &list); err != nil || len(list) == 0 {
				return nil, bad("%s %.80s", op, value)
			}
			var of []func(*stored) float64
			for _, one := range list {
				f, err := e.build(one)
				if err != nil {
					return nil, err
				}
				of = append(of, f)
			}
			return func(o *stored) float64 {
				sum, product := 0.0, 1.0
				for _, f := range of {
					sum, product = sum+f(o), product*f(o)
				}
				if op == "$sum" {
					return sum
				}
				return product
			}, nil
		case "$div":
			var d struct{ Left, Right json.RawMessage }
			if err := json.Unmarshal(value, &d); err != nil {
				return nil, bad("$div %.80s", value)
			}
			left, err := e.build(d.Left)
			if err != nil {
				return nil, err
			}
			right, err := e.build(d.Right)
			if err != nil {
				return nil, err
			}
			return func(o *stored) float64 { return left(o) / right(o) }, nil
		case "$knn":
			return e.knn(value)
		}
	}
	return nil, bad("rank %.80s", raw)
}

// knn is a list of neighbours.
func (e *expression) knn(raw json.RawMessage) (func(*stored) float64, error) {
	in := struct {
		Query      json.RawMessage `json:"query"`
		Key        string          `json:"key"`
		Limit      int             `json:"limit"`
		Default    *float64        `json:"default"`
		ReturnRank bool            `json:"return_rank"`
	}{Key: "#embedding", Limit: 16}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, bad("$knn %.80s", raw)
	}
	distance, holds, err := e.distance(in.Key, in.Query)
	if err != nil {
		return nil, err
	}
	list := nearest(e.c.records, func(o *stored) bool { return holds(o) && e.passes(o) }, distance, in.Limit)
	place := map[*stored]float64{}
	for i, f := range list {
		place[f.stored] = f.score
		if in.ReturnRank {
			place[f.stored] = float64(i)
		}
		e.met[f.stored] = true
	}
	for _, o := range e.c.records {
		if _, ok := place[o]; !ok && in.Default == nil {
			e.dropped[o] = true
		}
	}
	return func(o *stored) float64 {
		if p, ok := place[o]; ok {
			return p
		}
		return *in.Default
	}, nil
}

type sparse struct {
	Indices []uint32
	Values  []float64
}

// distance is that of a key to a query; holds says which records have one.
func (e *expression) distance(key string, query json.RawMessage) (func(*stored) float64, func(*stored) bool, error) {
	if key == "#embedding" {
		var v []float64
		if err := json.Unmarshal(query, &v); err != nil || len(v) != e.c.dimension {
			return nil, nil, bad("a query of %d dimensions for %d", len(v), e.c.dimension)
		}
		return func(o *stored) float64 { return 1 - cosine(v, o.vector) }, func(*stored) bool { return true }, nil
	}
	if !e.c.sparse[key] {
		return nil, nil, bad("there is no sparse index for %s", key)
	}
	var q sparse
	if err := json.Unmarshal(query, &q); err != nil || len(q.Indices) != len(q.Values) || !slices.IsSorted(q.Indices) {
		return nil, nil, bad("a sparse query %.80s", query)
	}
	of := map[*stored]map[uint32]float64{}
	df := map[uint32]float64{}
	for _, o := range e.c.records {
		weights := map[uint32]float64{}
		if m, ok := o.metadata[key].(map[string]any); ok && m["#type"] == "sparse_vector" {
			b, _ := json.Marshal(m)
			var v sparse
			if json.Unmarshal(b, &v) == nil {
				for i, id := range v.Indices {
					weights[id] = v.Values[i]
					df[id]++
				}
			}
		}
		of[o] = weights
	}
	n := float64(len(e.c.records))
	score := func(o *stored) float64 {
		sum := 0.0
		for i, id := range q.Indices {
			sum += q.Values[i] * of[o][id] * math.Log(1+(n-df[id]+0.5)/(df[id]+0.5))
		}
		return -sum
	}
	return score, func(o *stored) bool { return score(o) < 0 }, nil
}
