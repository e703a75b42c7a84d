// Package corpus puts corpora side by side; its folders hold the corpora
// themselves.
//
// [Join] makes one [winnow.Corpus] of several, which may live in different
// engines. Scores of different corpora can't be compared (each has its own
// document frequencies), so lists are fused by rank alone; what that trades
// away is that a corpus with nothing good to say is heard as loudly as one that
// holds the answer.
package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-search/winnow"
)

// Member is a corpus with the name by which its warnings are told apart.
type Member struct {
	Name   string
	Corpus winnow.Corpus
}

// Join returns one corpus over the members. A single member is returned as it
// is, with its own scores.
//
// Ids are unique per member, not across them: hits say which collection they
// are from. An id that several members hold is read from the first of them, and
// a [winnow.QualifiedID] is read from the member it names; the name is that of
// the collection. What a scope excludes may be qualified too.
// A member that fails while another answers is left out with a warning, so that
// one collection out of reach, or one that lacks the key of a filter, does not
// take the others with it.
func Join(members ...Member) winnow.Corpus {
	if len(members) == 1 {
		return members[0].Corpus
	}
	return &joined{members}
}

type joined struct{ members []Member }

// fusionK is the constant of reciprocal rank fusion, from Cormack, Clarke and
// Büttcher (2009).
const fusionK = 60

// defaultK is what a Query means that names no number of hits.
const defaultK = 10

// Search asks every member the same and fuses their lists.
func (j *joined) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	lists, warnings, err := ask(ctx, j.members, func(m Member) (*winnow.Results, error) {
		q := q
		q.Scope = j.scope(m, q.Scope)
		return m.Corpus.Search(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	out := &winnow.Results{Hits: []winnow.Hit{}, Coverage: 1, Warnings: warnings}
	for _, l := range lists {
		for i, h := range l.value.Hits {
			h.Score = 1 / float64(fusionK+i+1)
			out.Hits = append(out.Hits, h)
		}
		out.Coverage = min(out.Coverage, l.value.Coverage)
		out.Warnings = append(out.Warnings, l.member.say(l.value.Warnings)...)
	}
	slices.SortStableFunc(out.Hits, compareHits)
	k := q.K
	if k <= 0 {
		k = defaultK
	}
	out.Hits = out.Hits[:min(k, len(out.Hits))]
	return out, nil
}

// compareHits orders by score; ties by collection, then chunk.
func compareHits(a, b winnow.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.ID, b.ID))
}

// Grep returns the matches of the members one after the other.
func (j *joined) Grep(ctx context.Context, q winnow.GrepQuery) (*winnow.Matches, error) {
	lists, warnings, err := ask(ctx, j.members, func(m Member) (*winnow.Matches, error) {
		q := q
		q.Scope = j.scope(m, q.Scope)
		return m.Corpus.Grep(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	out := &winnow.Matches{Matches: []winnow.Match{}, Warnings: warnings}
	chunks, last := 0, [2]string{}
	for _, l := range lists {
		out.Truncated = out.Truncated || l.value.Truncated
		out.Warnings = append(out.Warnings, l.member.say(l.value.Warnings)...)
		for _, m := range l.value.Matches {
			if id := [2]string{m.Chunk.Collection, m.Chunk.ID}; id != last {
				chunks, last = chunks+1, id
			}
			if q.Limit > 0 && len(out.Matches) == q.Limit || q.Chunks > 0 && chunks > q.Chunks {
				out.Truncated = true
				return out, nil
			}
			out.Matches = append(out.Matches, m)
		}
	}
	return out, nil
}

// Read returns the document of the first member that has it.
func (j *joined) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	i, id, err := j.holder(ctx, q.ID)
	if err != nil {
		return nil, err
	}
	q.ID = id
	return j.members[i].Corpus.Read(ctx, q)
}

// Neighbours asks each member about the ids that are read from it. An id that
// nobody has is an error; one whose member can't be asked is left out, as the
// member is.
func (j *joined) Neighbours(ctx context.Context, q winnow.LinkQuery) (*winnow.Neighbours, error) {
	from := map[string][]string{}
	warnings := []string{}
	var failed error
	for _, name := range q.From {
		i, id, err := j.holder(ctx, name)
		switch {
		case err == nil:
			from[j.members[i].Name] = append(from[j.members[i].Name], id)
		case ctx.Err() != nil || winnow.CodeOf(err) == winnow.NotFound:
			return nil, err
		default:
			failed = cmp.Or(failed, err)
			warnings = append(warnings, fmt.Sprintf("the links of %s were left out: %v", name, err))
		}
	}
	if len(from) == 0 && failed != nil {
		return nil, failed
	}
	holders := slices.DeleteFunc(slices.Clone(j.members), func(m Member) bool { return len(from[m.Name]) == 0 })
	lists, left, err := ask(ctx, holders, func(m Member) (*winnow.Neighbours, error) {
		q := q
		q.From, q.Scope = from[m.Name], j.scope(m, q.Scope)
		return m.Corpus.Neighbours(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	out := &winnow.Neighbours{Neighbours: []winnow.Neighbour{}, Warnings: append(warnings, left...)}
	for _, l := range lists {
		for i, n := range l.value.Neighbours {
			n.Score = 1 / float64(fusionK+i+1)
			out.Neighbours = append(out.Neighbours, n)
		}
		out.Warnings = append(out.Warnings, l.member.say(l.value.Warnings)...)
	}
	slices.SortStableFunc(out.Neighbours, func(a, b winnow.Neighbour) int { return compareHits(a.Hit, b.Hit) })
	k := q.K
	if k <= 0 {
		k = defaultK
	}
	out.Neighbours = out.Neighbours[:min(k, len(out.Neighbours))]
	return out, nil
}

// holder is the member that a qualified id names if it has it, else the first
// that has the id, with the id as that member knows it.
func (j *joined) holder(ctx context.Context, id string) (int, string, error) {
	if i, bare, ok := j.owner(id); ok {
		_, err := j.members[i].Corpus.Read(ctx, winnow.ReadQuery{ID: bare})
		if winnow.CodeOf(err) != winnow.NotFound {
			return i, bare, err
		}
	}
	var first error
	for i, m := range j.members {
		_, err := m.Corpus.Read(ctx, winnow.ReadQuery{ID: id})
		if err == nil {
			return i, id, nil
		}
		// Another member's failure says more than "not here".
		if first == nil || winnow.CodeOf(first) == winnow.NotFound {
			first = err
		}
	}
	return 0, "", first
}

// owner is the member that a qualified id names.
func (j *joined) owner(id string) (member int, bare string, ok bool) {
	for i, m := range j.members {
		if bare, ok := strings.CutPrefix(id, winnow.QualifiedID(m.Name, "")); ok {
			return i, bare, true
		}
	}
	return 0, "", false
}

// scope is what binds one member: qualified ids are left out there and nowhere
// else.
func (j *joined) scope(m Member, s winnow.Scope) winnow.Scope {
	own := func(ids []string) (own []string) {
		for _, id := range ids {
			if i, bare, ok := j.owner(id); !ok {
				own = append(own, id)
			} else if j.members[i].Name == m.Name {
				own = append(own, bare)
			}
		}
		return own
	}
	s.ExcludeChunks, s.ExcludeDocuments = own(s.ExcludeChunks), own(s.ExcludeDocuments)
	return s
}

// Describe adds up what the members hold.
func (j *joined) Describe(ctx context.Context) (*winnow.Description, error) {
	all, _, err := ask(ctx, j.members, func(m Member) (*winnow.Description, error) { return m.Corpus.Describe(ctx) })
	if err != nil {
		return nil, err
	}
	out := &winnow.Description{}
	keys := map[string]int{}
	for _, a := range all {
		d := a.value
		out.Documents += d.Documents
		out.Chunks += d.Chunks
		out.Folders = addFacets(out.Folders, d.Folders)
		out.Headings = addFacets(out.Headings, d.Headings)
		for _, k := range d.Keys {
			i, known := keys[k.Key]
			if !known {
				i = len(out.Keys)
				keys[k.Key] = i
				out.Keys = append(out.Keys, winnow.KeyUse{Key: k.Key})
			}
			out.Keys[i].Count += k.Count
			out.Keys[i].Values = addFacets(out.Keys[i].Values, k.Values)
		}
	}
	slices.SortFunc(out.Keys, func(a, b winnow.KeyUse) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Key, b.Key))
	})
	return out, nil
}

// addFacets adds counts by value, commonest first.
func addFacets(sum, more []winnow.Facet) []winnow.Facet {
	for _, f := range more {
		if i := slices.IndexFunc(sum, func(s winnow.Facet) bool { return s.Value == f.Value }); i >= 0 {
			sum[i].Count += f.Count
			continue
		}
		sum = append(sum, f)
	}
	slices.SortStableFunc(sum, func(a, b winnow.Facet) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(fmt.Sprint(a.Value), fmt.Sprint(b.Value)))
	})
	return sum
}

// Close closes every member.
func (j *joined) Close() error {
	var errs []error
	for _, m := range j.members {
		errs = append(errs, m.Corpus.Close())
	}
	return errors.Join(errs...)
}

// say puts the member's name before its warnings.
func (m Member) say(warnings []string) []string {
	said := make([]string, len(warnings))
	for i, w := range warnings {
		said[i] = m.Name + ": " + w
	}
	return said
}

type answer[T any] struct {
	member Member
	value  T
}

// ask puts a question to all members at once. It returns the answers in the
// members' order, and what failed as warnings; it fails where nobody answers.
func ask[T any](ctx context.Context, members []Member, question func(Member) (T, error)) ([]answer[T], []string, error) {
	values := make([]T, len(members))
	errs := make([]error, len(members))
	panics := make([]any, len(members))
	var wg sync.WaitGroup
	for i, m := range members {
		wg.Go(func() {
			defer func() { panics[i] = recover() }()
			values[i], errs[i] = question(m)
		})
	}
	wg.Wait()
	for _, reason := range panics {
		if reason != nil {
			panic(reason) // where the caller can recover
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var answers []answer[T]
	warnings := []string{}
	var first error
	for i, m := range members {
		if errs[i] == nil {
			answers = append(answers, answer[T]{m, values[i]})
			continue
		}
		first = cmp.Or(first, errs[i])
		warnings = append(warnings, m.say([]string{"left out: " + errs[i].Error()})...)
	}
	if len(answers) == 0 {
		return nil, nil, first
	}
	return answers, warnings, nil
}
