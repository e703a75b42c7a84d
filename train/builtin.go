package train

import (
	"context"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/policy/builtin"
	"github.com/winnow-search/winnow/rerank/boost"
)

// Field is a data set with its corpus, in which the built-in policy is trained
// and tried.
type Field struct {
	*Set // its candidates, from which rankers of the search are trained
	// All are the questions, those without gold included.
	All []eval.Task
	// Corpus is the corpus with this ranker, nil for its own.
	Corpus func(index.Ranker) winnow.Corpus
}

// BuiltinOptions of training the built-in policy.
type BuiltinOptions struct {
	Options
	// Without are ideas of the policy to be left out, to see what they are worth.
	Without []builtin.Idea
	// Unseen says that the ranker of the search was trained without these
	// questions, so that it may be used as it is. Else a ranker is trained for
	// each fold: one that knows the answers would teach the policy to trust it.
	Unseen bool
	// Alone leaves out what weights from the other sets make of each.
	Alone bool
	// Progress is told how many of how many questions of a step are done.
	Progress func(done, total int)
}

// BuiltinRow is what is reported of one data set.
type BuiltinRow struct {
	Set       string `json:"set"`
	Questions int    `json:"questions"`
	// Folds is cross-validated; Others is with weights and ranker from the other
	// sets, nil where there are none.
	Folds  eval.Values `json:"folds"`
	Others eval.Values `json:"others,omitempty"`
}

// goldlessEvery is how many questions there are for each that is also asked with
// its supporting documents out of reach: what nothing to find looks like.
const goldlessEvery = 3

// sample is a question's evidence as a lesson.
type sample struct {
	boost.Group
	field, task int
	goldless    bool
}

// Builtin trains the built-in policy: cross-validated, left out set by set, and
// on everything. A question is only ever answered with weights, and with a ranker
// of the search, that were not trained on it. What remains is indirect: the
// evidence that the weights learn from was found for other questions by rankers
// that knew this one, as in all stacking without nested folds.
func Builtin(ctx context.Context, fields []*Field, o BuiltinOptions) ([]BuiltinRow, *builtin.Weights, error) {
	if o.Folds == 0 {
		o.Folds = 5
	}
	t := &builtinTraining{BuiltinOptions: o, fields: fields}
	if err := t.rankers(ctx); err != nil {
		return nil, nil, err
	}
	if err := t.collect(ctx); err != nil {
		return nil, nil, err
	}
	rows, err := t.crossValidate(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(fields) > 1 && !o.Alone {
		for i := range fields {
			if rows[i].Others, err = t.leaveOut(ctx, i); err != nil {
				return nil, nil, err
			}
		}
	}
	step(o.Options, "training on all sets")
	w, err := t.train(ctx, func(*sample) bool { return true })
	return rows, w, err
}

// builtinTraining is a training under way.
type builtinTraining struct {
	BuiltinOptions
	fields  []*Field
	ranker  []index.Ranker // by fold; nil for the corpus's own
	samples []sample
}

// fold is that of a question, whatever other questions there are.
func (t *builtinTraining) fold(field, task int) int {
	h := fnv.New64a()
	f := t.fields[field]
	h.Write([]byte(f.Name + "/" + f.All[task].ID))
	return int(h.Sum64() % uint64(t.Folds))
}

// rankers trains the search's ranker once for each fold.
func (t *builtinTraining) rankers(ctx context.Context) error {
	t.ranker = make([]index.Ranker, t.Folds)
	if t.Unseen {
		return nil
	}
	folds := make([]map[string]bool, t.Folds) // the groups of each fold
	for f := range folds {
		folds[f] = map[string]bool{}
	}
	for i, field := range t.fields {
		for j := range field.All {
			folds[t.fold(i, j)][field.Name+"/"+field.All[j].ID] = true
		}
	}
	for f := range t.Folds {
		step(t.Options, fmt.Sprintf("training the search's ranker without part %d of %d", f+1, t.Folds))
		m, err := t.rankerOf(ctx, func(g *boost.Group) bool { return !folds[f][g.ID] })
		if err != nil {
			return err
		}
		t.ranker[f] = m
	}
	return nil
}

func (t *builtinTraining) rankerOf(ctx context.Context, teaches func(*boost.Group) bool) (*boost.Model, error) {
	var sets []*Set
	for _, f := range t.fields {
		sets = append(sets, f.Set)
	}
	groups := slices.DeleteFunc(balance(sets), func(g boost.Group) bool { return !teaches(&g) })
	return boost.Train(ctx, index.Features, groups, t.Params)
}

// collect asks every question without weights and keeps what was shown.
func (t *builtinTraining) collect(ctx context.Context) error {
	step(t.Options, "asking every question")
	model := builtin.NewModel(nil, t.Without...)
	type lesson struct {
		field, task int
		goldless    bool
	}
	var lessons []lesson
	for i, f := range t.fields {
		for j := range f.All {
			if f.All[j].Unjudged {
				continue
			}
			lessons = append(lessons, lesson{i, j, false})
			if j%goldlessEvery == 0 && len(f.All[j].Gold) > 0 {
				lessons = append(lessons, lesson{i, j, true})
			}
		}
	}
	t.samples = make([]sample, len(lessons))
	return t.each(ctx, len(lessons), func(i int) error {
		l := lessons[i]
		f := t.fields[l.field]
		task := &f.All[l.task]
		scope := eval.ScopeOf(winnow.Scope{}, task)
		if l.goldless {
			scope.ExcludeDocuments = append(scope.ExcludeDocuments, task.Gold...)
		}
		policy := model.Policy()
		if _, err := agent.Do(ctx, agent.Options{Question: task.Question, Corpus: f.Corpus(t.ranker[t.fold(l.field, l.task)]), Policy: policy, Scope: scope}); err != nil {
			return fmt.Errorf("question %s of %s: %w", task.ID, f.Name, err)
		}
		t.samples[i] = newSample(l.field, l.task, f.Name, task, policy.Evidence(), l.goldless)
		return nil
	})
}

// newSample labels evidence. Of a supporting document with several passages only
// the first that was shown is held to be right, and the others are no lesson.
func newSample(field, index int, set string, task *eval.Task, seen []builtin.Seen, goldless bool) sample {
	met := map[string]bool{}
	g := boost.Group{ID: set + "/" + task.ID}
	for _, p := range seen {
		gold := slices.Contains(task.Gold, p.Document)
		if gold && met[p.Document] {
			continue
		}
		met[p.Document] = true
		g.Rows, g.Relevant = append(g.Rows, p.Features), append(g.Relevant, gold)
	}
	return sample{g, field, index, goldless}
}

// train learns weights from the samples that teach.
func (t *builtinTraining) train(ctx context.Context, teaches func(*sample) bool) (*builtin.Weights, error) {
	questions := make([]int, len(t.fields))
	for i := range t.samples {
		if teaches(&t.samples[i]) {
			questions[t.samples[i].field]++
		}
	}
	most := slices.Max(questions)
	var order, odds []boost.Group
	for i := range t.samples {
		s := &t.samples[i]
		if !teaches(s) {
			continue
		}
		g := s.Group
		g.Weight = weight(most, questions[s.field])
		odds = append(odds, g)
		if !s.goldless {
			order = append(order, g)
		}
	}
	p := t.Params
	p.FeatureShare, p.MinRows = 0.5, 30
	ranker, err := boost.Train(ctx, builtin.Features, order, p)
	if err != nil {
		return nil, err
	}
	p.Pointwise = true
	judge, err := boost.Train(ctx, builtin.Features, odds, p)
	if err != nil {
		return nil, err
	}
	return &builtin.Weights{Ranker: ranker, Judge: judge}, nil
}

// without learns from all folds but one.
func (t *builtinTraining) without(ctx context.Context, fold int) (*builtin.Weights, error) {
	return t.train(ctx, func(s *sample) bool { return t.fold(s.field, s.task) != fold })
}

// crossValidate answers every question with weights from the other folds.
func (t *builtinTraining) crossValidate(ctx context.Context) ([]BuiltinRow, error) {
	models := make([]*builtin.Model, t.Folds)
	for f := range models {
		step(t.Options, fmt.Sprintf("training without part %d of %d", f+1, t.Folds))
		w, err := t.without(ctx, f)
		if err != nil {
			return nil, err
		}
		models[f] = builtin.NewModel(w, t.Without...)
	}
	rows := make([]BuiltinRow, len(t.fields))
	for i, f := range t.fields {
		step(t.Options, "answering "+f.Name)
		values, err := t.try(ctx, i, func(task int) (*builtin.Model, index.Ranker) {
			fold := t.fold(i, task)
			return models[fold], t.ranker[fold]
		})
		if err != nil {
			return nil, err
		}
		rows[i] = BuiltinRow{Set: f.Name, Questions: len(f.All), Folds: values}
	}
	return rows, nil
}

// leaveOut answers the questions of a set with weights and ranker from the
// others.
func (t *builtinTraining) leaveOut(ctx context.Context, out int) (eval.Values, error) {
	name := t.fields[out].Name
	step(t.Options, "training without "+name)
	var ranker index.Ranker
	if !t.Unseen {
		prefix := name + "/"
		m, err := t.rankerOf(ctx, func(g *boost.Group) bool { return len(g.ID) < len(prefix) || g.ID[:len(prefix)] != prefix })
		if err != nil {
			return nil, err
		}
		ranker = m
	}
	w, err := t.train(ctx, func(s *sample) bool { return s.field != out })
	if err != nil {
		return nil, err
	}
	model := builtin.NewModel(w, t.Without...)
	return t.try(ctx, out, func(int) (*builtin.Model, index.Ranker) { return model, ranker })
}

// Try answers the questions of a field with given weights, for comparison.
func Try(ctx context.Context, f *Field, w *builtin.Weights, o BuiltinOptions) (eval.Values, error) {
	t := &builtinTraining{BuiltinOptions: o, fields: []*Field{f}}
	model := builtin.NewModel(w, o.Without...)
	return t.try(ctx, 0, func(int) (*builtin.Model, index.Ranker) { return model, nil })
}

// try answers the questions of a field, each with the model and the ranker it is
// given.
func (t *builtinTraining) try(ctx context.Context, field int, with func(task int) (*builtin.Model, index.Ranker)) (eval.Values, error) {
	f := t.fields[field]
	results := make([]eval.Result, len(f.All))
	err := t.each(ctx, len(f.All), func(i int) error {
		task := &f.All[i]
		model, ranker := with(i)
		trajectory, err := agent.Do(ctx, agent.Options{Question: task.Question, Corpus: f.Corpus(ranker), Policy: model.Policy(), Scope: eval.ScopeOf(winnow.Scope{}, task)})
		if err != nil {
			return fmt.Errorf("question %s of %s: %w", task.ID, f.Name, err)
		}
		results[i] = eval.NewResult(task, eval.OutcomeOf(trajectory))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return eval.Summarise(results, 0).Metrics, nil
}

// each does n things on all cores and stops at the first that fails.
func (t *builtinTraining) each(ctx context.Context, n int, do func(i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					stop(err)
					continue
				}
				mu.Lock()
				if done++; t.Progress != nil {
					t.Progress(done, n)
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}
