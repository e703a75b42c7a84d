package agent

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/winnow-search/winnow"
)

// Rollouts runs k independent runs side by side and fuses their rankings. of
// gives the options of rollout i, from 0; each needs a policy of its own, and by
// custom a seed of its own.
//
// The stream holds the events of all runs as they happen, marked with their
// Rollout from 1, and ends with one end event of Rollout 0: the fusion. The
// order in which runs interleave is chance; the fusion is not.
func Rollouts(ctx context.Context, k int, of func(i int) Options) iter.Seq2[winnow.Event, error] {
	return func(yield func(winnow.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		events := make(chan winnow.Event)
		ends := make([]*winnow.End, k)
		errs := make([]error, k)
		var group sync.WaitGroup
		var panics panics
		for i := range k {
			group.Go(func() {
				defer panics.keep()
				for e, err := range Run(ctx, of(i)) {
					if err != nil {
						errs[i] = err
						return
					}
					e.Rollout = i + 1
					if e.End != nil {
						ends[i] = e.End
					}
					events <- e
				}
			})
		}
		go func() {
			group.Wait()
			close(events)
		}()
		listening := true
		for e := range events { // to the end, so that no run is left behind
			if listening && !yield(e, nil) {
				listening = false
				cancel()
			}
		}
		panics.raise()
		if !listening {
			return
		}
		if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
			yield(winnow.Event{}, errs[i])
			return
		}
		yield(winnow.Event{Kind: winnow.EventEnd, End: Fuse(ends)}, nil)
	}
}

// Fuse makes one end of several. Documents that any run selected are selected,
// ordered by reciprocal rank fusion of the selections; behind them the others by
// fusion of the whole rankings. Ties: by id.
func Fuse(ends []*winnow.End) *winnow.End {
	out := &winnow.End{Ranking: winnow.Ranking{}, Warnings: []string{}}
	var selected, all [][]string
	best := map[string]winnow.Ranked{} // where it stands highest; the first run wins a tie
	confidence, confident := 0.0, 0
	for _, e := range ends {
		var chosen, whole []string
		for _, d := range e.Ranking {
			id := winnow.QualifiedID(d.Collection, d.Document)
			whole = append(whole, id)
			if d.Selected {
				chosen = append(chosen, id)
			}
			if b, ok := best[id]; !ok || d.Selected && !b.Selected || d.Selected == b.Selected && d.Rank < b.Rank {
				best[id] = d
			}
		}
		selected, all = append(selected, chosen), append(all, whole)
		out.Turns += e.Turns
		out.Calls += e.Calls
		out.Pruned += e.Pruned
		out.PeakView = max(out.PeakView, e.PeakView)
		out.Usage = out.Usage.Add(e.Usage)
		out.Unknown = merge(out.Unknown, e.Unknown)
		out.Warnings = merge(out.Warnings, e.Warnings)
		if e.Confidence != nil {
			confidence += *e.Confidence
			confident++
		}
	}
	if confident > 0 {
		confidence /= float64(confident)
		out.Confidence = &confidence
	}
	if i := slices.IndexFunc(ends, func(e *winnow.End) bool { return e.Ended == winnow.Concluded }); i >= 0 {
		out.Ended = winnow.Concluded
	} else if len(ends) > 0 {
		out.Ended, out.Forced, out.Failure = ends[0].Ended, true, ends[0].Failure
	}
	for _, d := range byScore(fuse(selected)) {
		out.Ranking = append(out.Ranking, best[d])
	}
	chosen := fuse(selected)
	for _, d := range byScore(fuse(all)) {
		if _, is := chosen[d]; !is && len(out.Ranking) < rankedDocuments {
			out.Ranking = append(out.Ranking, best[d])
		}
	}
	for i := range out.Ranking {
		out.Ranking[i].Rank = i + 1
	}
	return out
}

func byScore(scores map[string]float64) []string {
	ids := slices.Sorted(maps.Keys(scores))
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return ids
}

// merge adds what is not there yet.
func merge(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
