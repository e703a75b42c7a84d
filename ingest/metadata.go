package ingest

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow"
)

// flatten adds a decoded JSON value to metadata, which holds only strings,
// bools, int64 and float64: objects become keys joined by dots, lists of
// scalars one string joined by ", ", lists of anything else their JSON. Nulls
// and empty lists are left out. Numbers are decoded as json.Number.
func flatten(m winnow.Metadata, key string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if key != "" {
				k = key + "." + k
			}
			flatten(m, k, inner)
		}
	case []any:
		if len(v) > 0 {
			m[key] = joinList(v)
		}
	case json.Number:
		m[key] = number(v.String())
	case string, bool:
		m[key] = v
	}
}

func joinList(list []any) string {
	parts := make([]string, 0, len(list))
	for _, item := range list {
		switch v := item.(type) {
		case string:
			parts = append(parts, v)
		case json.Number:
			parts = append(parts, v.String())
		case bool:
			parts = append(parts, strconv.FormatBool(v))
		default:
			text, err := json.Marshal(list)
			if err != nil {
				return "" // unreachable: the list came from JSON
			}
			return string(text)
		}
	}
	return strings.Join(parts, ", ")
}

// number returns an int64 where the literal is one, else a float64, else the
// literal itself.
func number(literal string) any {
	if i, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(literal, 64); err == nil {
		return f
	}
	return literal
}
