package filter

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
)

// Compare orders two metadata values: strings by their bytes, numbers by their
// exact values whether int64 or float64, false before true. It is a total order
// within each of these three kinds. ok is false where the kinds differ, a value
// is missing (nil) or NaN: then neither equality nor an order holds.
func Compare(a, b any) (order int, ok bool) {
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return cmp.Compare(a, b), true
		}
	case bool:
		if b, ok := b.(bool); ok {
			return cmp.Compare(rank(a), rank(b)), true
		}
	case int64:
		switch b := b.(type) {
		case int64:
			return cmp.Compare(a, b), true
		case float64:
			return compareMixed(a, b), b == b
		}
	case float64:
		switch b := b.(type) {
		case int64:
			return -compareMixed(b, a), a == a
		case float64:
			return cmp.Compare(a, b), a == a && b == b
		}
	}
	return 0, false
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareMixed does not convert i to float64, which above 2^53 would make
// different integers equal. It compares with the whole part of f, which an int64
// holds exactly, and then with what f has beyond it.
func compareMixed(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	if order := cmp.Compare(i, int64(whole)); order != 0 {
		return order
	}
	return cmp.Compare(whole, f)
}

// number reads a JSON number: int64 where the value is whole and fits, so that 1
// and 1.0 are one value, float64 elsewhere. ok is false beyond float64's range.
func number(n json.Number) (value any, ok bool) {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i, true
	}
	f, err := n.Float64()
	if err != nil {
		return nil, false
	}
	if f == math.Trunc(f) && f >= -1<<63 && f < 1<<63 {
		return int64(f), true
	}
	return f, true
}
