package index

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/trigram"
)

// deny returns for each segment the chunks that a scope leaves out, the dead
// ones included; nil where it leaves out none.
func (g *generation) deny(scope *winnow.Scope) ([]segment.Bits, error) {
	denied, err := g.scopes.get(g, scope)
	if err != nil {
		return nil, err
	}
	if len(scope.ExcludeChunks)+len(scope.ExcludeDocuments) == 0 {
		return denied, nil
	}
	own := make([]bool, len(denied)) // copied already
	denied = slices.Clone(denied)
	exclude := func(seg int, lo, hi uint32) {
		if !own[seg] {
			own[seg] = true
			bits := segment.NewBits(g.segments[seg].chunkCount())
			copy(bits, denied[seg])
			denied[seg] = bits
		}
		denied[seg].SetRange(lo, hi)
	}
	for _, id := range scope.ExcludeChunks {
		r, ok, err := g.findChunk(id)
		if err != nil {
			return nil, err
		}
		if ok {
			exclude(r.seg, r.ord, r.ord+1)
		}
	}
	for _, id := range scope.ExcludeDocuments {
		seg, d, err := g.findDocument(id)
		if err != nil {
			return nil, err
		}
		if seg >= 0 {
			exclude(seg, g.segments[seg].first.At(d), g.segments[seg].first.At(d+1))
		}
	}
	return denied, nil
}

// scopeCache keeps what the filters of a generation's recent scopes leave out:
// the searches of a run share theirs.
type scopeCache struct {
	mu     sync.Mutex
	denied map[string][]segment.Bits
}

const scopesKept = 32

func (c *scopeCache) get(g *generation, scope *winnow.Scope) ([]segment.Bits, error) {
	key := ""
	if len(scope.Where)+len(scope.WhereDocument)+len(scope.Path) > 0 {
		key = fmt.Sprintf("%s\x00%s\x00%s", scope.Where, scope.WhereDocument, scope.Path)
	}
	c.mu.Lock()
	denied, ok := c.denied[key]
	c.mu.Unlock()
	if ok {
		return denied, nil
	}
	denied, err := g.filter(scope)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.denied == nil || len(c.denied) >= scopesKept {
		c.denied = map[string][]segment.Bits{}
	}
	c.denied[key] = denied
	return denied, nil
}

// filter evaluates a scope's filters over all chunks.
func (g *generation) filter(scope *winnow.Scope) ([]segment.Bits, error) {
	e, err := g.parseScope(scope)
	if err != nil {
		return nil, err
	}
	var glob *filter.Glob
	if scope.Path != "" {
		if glob, err = filter.CompileGlob(scope.Path); err != nil {
			return nil, err
		}
	}
	denied := make([]segment.Bits, len(g.segments))
	for i, s := range g.segments {
		denied[i] = s.dead
		if e == nil && glob == nil {
			continue
		}
		pass, err := s.eval(e)
		if err != nil {
			return nil, err
		}
		if glob != nil {
			if err := s.keepPaths(pass, glob); err != nil {
				return nil, err
			}
		}
		pass.Not(s.chunkCount())
		if s.dead != nil {
			pass.Or(s.dead)
		}
		denied[i] = pass
	}
	return denied, nil
}

// parseScope joins a scope's two filters; nil means that there is none.
func (g *generation) parseScope(scope *winnow.Scope) (filter.Expr, error) {
	var all filter.And
	if len(scope.Where) > 0 {
		e, err := filter.Parse(scope.Where)
		if err != nil {
			return nil, err
		}
		keys, err := g.metadataKeys()
		if err != nil {
			return nil, err
		}
		if err := filter.Check(e, keys); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if len(scope.WhereDocument) > 0 {
		e, err := filter.ParseDocument(scope.WhereDocument)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if all == nil {
		return nil, nil
	}
	return all, nil
}

// metadataKeys returns the keys in use, sorted. It skips from key to key, so
// that a key with many values costs no more than one with few.
func (g *generation) metadataKeys() ([]string, error) {
	keys := map[string]bool{}
	for _, s := range g.segments {
		for c := s.meta.Seek(nil); c.Next(); {
			key, _, ok := splitMetaKey(c.Key())
			if !ok {
				return nil, errRecord
			}
			keys[key] = true
			c = s.meta.Seek(append(appendString(nil, key), 0xFF))
			if c.Err() != nil {
				return nil, c.Err()
			}
		}
	}
	return slices.Sorted(maps.Keys(keys)), nil
}

// eval returns the chunks that pass an expression; nil passes all. It agrees
// with [filter.Match] on every chunk.
func (p *part) eval(e filter.Expr) (segment.Bits, error) {
	n := p.chunkCount()
	pass := segment.NewBits(n)
	not := false
	var err error
	switch e := e.(type) {
	case nil:
		pass.Not(n)
	case filter.And:
		pass.Not(n)
		for _, sub := range e {
			b, err := p.eval(sub)
			if err != nil {
				return nil, err
			}
			pass.And(b)
		}
	case filter.Or:
		for _, sub := range e {
			b, err := p.eval(sub)
			if err != nil {
				return nil, err
			}
			pass.Or(b)
		}
	case filter.In:
		not = e.Not
		err = p.addValues(pass, e.Key, func(v any) bool {
			return slices.ContainsFunc(e.Values, func(want any) bool {
				order, ok := filter.Compare(v, want)
				return ok && order == 0
			})
		})
	case filter.Range:
		err = p.addValues(pass, e.Key, func(v any) bool {
			order, ok := filter.Compare(v, e.Value)
			return ok && e.Op.Holds(order)
		})
	case filter.Contains:
		not = e.Not
		err = p.addTexts(pass, trigram.Literal(e.Text), func(text []byte) bool { return contains(text, e.Text) })
	case filter.Regex:
		not = e.Not
		err = p.addTexts(pass, trigram.Plan(e.Pattern), e.Pattern.Match)
	default:
		err = fmt.Errorf("index: no evaluation for a filter of type %T", e)
	}
	if not {
		pass.Not(n)
	}
	return pass, err
}

// addValues adds the chunks that have a key with a value that holds.
func (p *part) addValues(to segment.Bits, key string, holds func(any) bool) error {
	prefix := appendString(nil, key)
	c := p.meta.Seek(prefix)
	for c.Next() {
		k, v, ok := splitMetaKey(c.Key())
		if !ok {
			return errRecord
		}
		if k != key {
			break
		}
		if !holds(v) {
			continue
		}
		l, err := p.meta.List(c.Entry(), false)
		if err != nil {
			return err
		}
		to.SetList(&l)
	}
	return c.Err()
}

// addTexts adds the chunks whose text holds.
func (p *part) addTexts(to segment.Bits, q trigram.Query, holds func([]byte) bool) error {
	candidates, err := p.candidates(q)
	if err != nil {
		return err
	}
	return p.texts(candidates, func(ord uint32, text []byte) error {
		if holds(text) {
			to.Set(ord)
		}
		return nil
	})
}

// keepPaths keeps the chunks of documents whose path matches.
func (p *part) keepPaths(pass segment.Bits, glob *filter.Glob) error {
	return p.docs.Records(0, p.docs.Len(), func(d int, b []byte) error {
		dec := decoder{b: b}
		_ = dec.string()
		path := dec.string()
		if dec.err != nil {
			return dec.err
		}
		if path == "" {
			id, err := p.id(d)
			if err != nil {
				return err
			}
			path = id
		}
		if !glob.Match(path) {
			for c := p.first.At(d); c < p.first.At(d+1); c++ {
				pass[c>>6] &^= 1 << (c & 63)
			}
		}
		return nil
	})
}
