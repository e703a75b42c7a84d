package filter

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestMatchOverMetadata(t *testing.T) {
	meta := winnow.Metadata{
		"year": int64(2001), "score": 0.5, "lang": "go", "draft": false, "date": "2001-05-04",
		"big": int64(1<<53 + 1), "whole": 3.0, "nan": math.NaN(),
	}
	for _, c := range []struct {
		where string
		want  bool
	}{
		{`{}`, true},
		{`{"year": 2001}`, true},
		{`{"year": 2001.0}`, true},
		{`{"year": "2001"}`, false},
		{`{"year": {"$ne": "2001"}}`, true},
		{`{"whole": 3}`, true},
		{`{"draft": false}`, true},
		{`{"draft": 0}`, false},
		{`{"lang": "Go"}`, false},
		{`{"year": {"$gt": 2000.5}}`, true},
		{`{"year": {"$gt": 2001}}`, false},
		{`{"year": {"$gte": 2001}}`, true},
		{`{"year": {"$lt": 2001}}`, false},
		{`{"year": {"$lte": 2001}}`, true},
		{`{"year": {"$gt": "1999"}}`, false},
		{`{"score": {"$lt": 1}}`, true},
		{`{"date": {"$gte": "2001-01-01", "$lt": "2002"}}`, true},
		{`{"date": {"$gte": "2001-05-05"}}`, false},
		{`{"big": 9007199254740993}`, true},
		{`{"big": 9007199254740992}`, false},
		{`{"big": {"$gt": 9007199254740992.0}}`, true},
		{`{"lang": {"$in": ["rust", "go"]}}`, true},
		{`{"lang": {"$in": ["rust", 1]}}`, false},
		{`{"lang": {"$nin": ["rust", "go"]}}`, false},
		{`{"lang": {"$nin": ["rust"]}}`, true},
		{`{"nan": {"$lt": 1}}`, false},
		{`{"nan": {"$ne": 1}}`, true},
		{`{"missing": "x"}`, false},
		{`{"missing": {"$lt": 1}}`, false},
		{`{"missing": {"$ne": "x"}}`, true},
		{`{"missing": {"$nin": ["x"]}}`, true},
		{`{"$and": [{"year": 2001}, {"lang": "go"}]}`, true},
		{`{"$and": [{"year": 2001}, {"lang": "c"}]}`, false},
		{`{"$or": [{"year": 1}, {"lang": "go"}]}`, true},
		{`{"$or": [{"year": 1}, {"lang": "c"}]}`, false},
	} {
		e, err := Parse(json.RawMessage(c.where))
		if err != nil {
			t.Fatal(err)
		}
		if got := Match(e, meta, ""); got != c.want {
			t.Errorf("%s: got %t, want %t", c.where, got, c.want)
		}
	}
}

func TestMatchOverText(t *testing.T) {
	for _, c := range []struct {
		where string
		want  bool
	}{
		{`{"$contains": "World"}`, true},
		{`{"$contains": "world"}`, false},
		{`{"$not_contains": "world"}`, true},
		{`{"$regex": "(?i)WORLD$"}`, true},
		{`{"$regex": "^World"}`, false},
		{`{"$not_regex": "^World"}`, true},
		{`{"$or": [{"$contains": "x"}, {"$regex": "l+o"}]}`, true},
	} {
		e, err := ParseDocument(json.RawMessage(c.where))
		if err != nil {
			t.Fatal(err)
		}
		if got := Match(e, nil, "Hello World"); got != c.want {
			t.Errorf("%s: got %t, want %t", c.where, got, c.want)
		}
	}
}

func TestNumbersCompareByTheirExactValues(t *testing.T) {
	exact := func(v any) *big.Float {
		if i, ok := v.(int64); ok {
			return new(big.Float).SetPrec(2000).SetInt64(i)
		}
		return new(big.Float).SetPrec(2000).SetFloat64(v.(float64))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() any {
		edges := []int64{0, 1, -1, 1 << 53, -1 << 53, math.MaxInt64, math.MinInt64}
		i := edges[rng.IntN(len(edges))] + rng.Int64N(5) - 2
		switch rng.IntN(4) {
		case 0:
			return i
		case 1:
			return float64(i)
		case 2:
			return float64(i) + rng.Float64() - 0.5
		}
		return []float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}[rng.IntN(4)]
	}
	for range 20_000 {
		a, b := number(), number()
		order, ok := Compare(a, b)
		if want := exact(a).Cmp(exact(b)); !ok || order != want {
			t.Fatalf("%T %v and %T %v: got %d, want %d", a, a, b, b, order, want)
		}
	}
}

func TestValuesOfDifferentKindsDoNotCompare(t *testing.T) {
	values := []any{nil, "1", true, int64(1), math.NaN()}
	for i, a := range values {
		for j, b := range values {
			_, ok := Compare(a, b)
			if want := i == j && a != nil && i != 4; ok != want {
				t.Errorf("%v and %v: got %t, want %t", a, b, ok, want)
			}
		}
	}
	if order, ok := Compare(false, true); !ok || order >= 0 {
		t.Error("false does not come before true")
	}
}

func TestCheckNamesUnknownKeys(t *testing.T) {
	known := []string{"year", "author", "Language"}
	for _, c := range []struct{ where, message, hint string }{
		{`{"yaer": 2001}`, `where names the key "yaer", which no document has; known keys: "Language", "author", "year"`, `the key "year"`},
		{`{"$or": [{"year": 1}, {"$and": [{"author": "x"}, {"language": {"$ne": "go"}}]}]}`, `where names the key "language", which no document has; known keys: "Language", "author", "year"`, `the key "Language"`},
		{`{"size": {"$gt": 1}}`, `where names the key "size", which no document has; known keys: "Language", "author", "year"`, `one of the known keys`},
	} {
		e, err := Parse(json.RawMessage(c.where))
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, c.where, Check(e, known), winnow.BadFilter, c.message, c.hint)
	}
}

func TestCheckAcceptsKnownKeysAndText(t *testing.T) {
	e := And{In{Key: "year", Values: []any{int64(1)}}, Range{Key: "year", Op: Gt, Value: int64(1)}, Contains{Text: "x"}}
	if err := Check(e, []string{"year"}); err != nil {
		t.Error(err)
	}
}

func TestCheckListsNoMoreKeysThanCanBeRead(t *testing.T) {
	var known []string
	for i := range 100 {
		known = append(known, fmt.Sprintf("key-%02d", i))
	}
	err := Check(In{Key: "x", Values: []any{"y"}}, known)
	if want := `"key-38", "key-39" and 60 more`; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want it to end in %s", err, want)
	}
}

func TestCheckSaysThatThereIsNoMetadata(t *testing.T) {
	wantError(t, "no metadata", Check(In{Key: "x"}, nil), winnow.BadFilter, `where names the key "x", which no document has; there is no metadata`, "a search without where")
}
