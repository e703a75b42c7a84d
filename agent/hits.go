package agent

import (
	"maps"
	"math"
	"slices"

	"github.com/winnow-search/winnow"
)

// recordable makes a hit fit to be written down: what JSON can't hold is made
// into what it can, so that the trajectory read back is the one that was run.
func recordable(h winnow.Hit) *winnow.Hit {
	h.ID, h.Document, h.Text = valid(h.ID), valid(h.Document), valid(h.Text)
	h.Collection, h.Title, h.Path, h.Heading = valid(h.Collection), valid(h.Title), valid(h.Path), valid(h.Heading)
	h.Score = finite(h.Score)
	h.Features = slices.Clone(h.Features) // they may be a view into those of all candidates
	if h.Lead != nil {
		h.Lead = &winnow.Lead{From: valid(h.Lead.From), Kind: winnow.LinkKind(valid(string(h.Lead.Kind))), Via: valid(h.Lead.Via), Back: h.Lead.Back}
	}
	h.Matched = validAll(h.Matched)
	h.Legs = slices.Clone(h.Legs)
	for i := range h.Legs {
		h.Legs[i].Score, h.Legs[i].Via = finite(h.Legs[i].Score), valid(h.Legs[i].Via)
	}
	for k, v := range h.Metadata {
		if plain, ok := recordableValue(v); !ok || plain != v || valid(k) != k {
			h.Metadata = recordableMetadata(h.Metadata)
			break
		}
	}
	return &h
}

// recordableMetadata leaves out what can't be written down. Of keys that become
// the same, the greatest stays.
func recordableMetadata(m winnow.Metadata) winnow.Metadata {
	out := make(winnow.Metadata, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if v, ok := recordableValue(m[k]); ok {
			out[valid(k)] = v
		}
	}
	return out
}

// recordableValue is a value as it is read back; false if it is none that
// metadata hold.
func recordableValue(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return valid(v), true
	case float64:
		return v, v == finite(v)
	case bool, int64:
		return v, true
	}
	return nil, false
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
