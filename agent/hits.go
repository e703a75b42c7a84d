package agent

import (
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
	for i := range h.Legs {
		if h.Legs[i].Score != finite(h.Legs[i].Score) {
			h.Legs = nil
			break
		}
	}
	for _, v := range h.Metadata {
		if x, ok := v.(float64); ok && x != finite(x) {
			h.Metadata = withoutOdd(h.Metadata)
			break
		}
	}
	return &h
}

func withoutOdd(m winnow.Metadata) winnow.Metadata {
	out := make(winnow.Metadata, len(m))
	for k, v := range m {
		if x, ok := v.(float64); !ok || x == finite(x) {
			out[k] = v
		}
	}
	return out
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
