package boost

import "math"

// lambda is how the loss wants a candidate's score to change: g is its slope
// with the sign turned, h its curvature.
type lambda struct{ g, h float64 }

// ranker computes lambdas (Burges 2010, section 4): every relevant candidate and
// every irrelevant one push each other apart, as hard as a logistic loss on the
// difference of their scores says, times the NDCG that would change if they
// swapped places. NDCG is truncated: places below all count the same, nothing. So
// pairs that can't change the first places cost nothing and teach nothing.
type ranker struct {
	discounts []float64 // of the places that count
	depth     int
}

func newRanker(truncation, depth int) *ranker {
	k := &ranker{discounts: make([]float64, truncation), depth: max(truncation, depth)}
	for i := range k.discounts {
		k.discounts[i] = 1 / math.Log2(float64(i)+2)
	}
	return k
}

// lambdas computes those of one group.
//
// Irrelevant candidates below depth get none: what a model ranks so low can wait
// until it ranks it higher, and the choice is made anew in every round. Most
// candidates are such, and to leave them out halves the time of a training.
// Candidates that tie with the last one are not below it; at first all tie.
func (k *ranker) lambdas(scores []float64, relevant []bool, weight float64, out []lambda) {
	clear(out)
	order := top(scores, k.depth)
	discount := make([]float64, len(scores))
	for i, row := range order[:min(len(order), len(k.discounts))] {
		discount[row] = k.discounts[i]
	}
	lowest := scores[order[len(order)-1]]
	ideal, found := 0.0, 0
	for _, r := range relevant {
		if r && found < len(k.discounts) {
			ideal += k.discounts[found]
			found++
		}
	}
	sum := 0.0
	for a := range scores {
		if !relevant[a] {
			continue
		}
		for b := range scores {
			if relevant[b] || discount[a] == discount[b] || scores[b] < lowest {
				continue
			}
			change := math.Abs(discount[a]-discount[b]) / ideal
			wrong := 1 / (1 + math.Exp(scores[a]-scores[b])) // the chance that b belongs before a
			g, h := change*wrong, change*wrong*(1-wrong)
			out[a].g += g
			out[b].g -= g
			out[a].h += h
			out[b].h += h
			sum += g
		}
	}
	if sum == 0 {
		return
	}
	// A group with everything in the wrong place has many pairs that push; it
	// should count more than one that is nearly right, but not in proportion.
	scale := weight * math.Log2(1+2*sum) / (2 * sum)
	for i := range out {
		out[i].g *= scale
		out[i].h *= scale
	}
}

// top returns the k rows of the highest scores (or all), best first; of equals
// the earlier. Insertion beats sorting: k is small, and soon few rows make it.
func top(scores []float64, k int) []int32 {
	best := make([]int32, 0, min(k, len(scores))+1)
	for i, s := range scores {
		if len(best) == k && s <= scores[best[k-1]] {
			continue
		}
		best = append(best, 0)
		at := len(best) - 1
		for ; at > 0 && scores[best[at-1]] < s; at-- {
			best[at] = best[at-1]
		}
		best[at] = int32(i)
		best = best[:min(k, len(best))]
	}
	return best
}

// odds computes the lambdas of a logistic loss: the score of a candidate becomes
// the log odds that it is relevant.
func odds(scores []float64, relevant []bool, weight float64, out []lambda) {
	for i, score := range scores {
		chance := 1 / (1 + math.Exp(-score))
		out[i] = lambda{-weight * chance, weight * chance * (1 - chance)}
		if relevant[i] {
			out[i].g += weight
		}
	}
}
