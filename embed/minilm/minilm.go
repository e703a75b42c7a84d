// Package minilm is all-MiniLM-L6-v2 in pure Go: a sentence encoder of six
// layers and 384 dimensions that runs in process, offline, without cgo.
//
// All matrix products, attention included, are exact integer sums: weights are
// int8 with a scale per row, activations are rounded to eight bits with a scale
// per token (sixteen inside attention). That is where the speed comes from, and
// it has a second use: integer sums do not depend on their order, and the few
// float steps between them are written so that no architecture may fuse or
// reorder them. So every kernel, AVX-512, AVX2, NEON or plain Go, returns the
// same vectors bit for bit, and an index made on one machine agrees with a
// query embedded on another.
//
// What was traded away: a little accuracy (cosine to the fp16 model above 0.998
// on every test passage, 0.9993 on average) and 23 MB of the binary.
package minilm

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/winnow-search/winnow"
)

// Name is the vector space: the model, and the version of our rounding of it.
const Name = "minilm-l6-v2/1"

// Dim is the length of its vectors.
const Dim = 384

// Options configure a model. The zero value is the fastest one.
type Options struct {
	// Kernel names the code path: "avx512", "avx2", "neon" or "portable".
	// Empty means the best that this CPU has. The result is the same.
	Kernel string
	// Workers bounds the goroutines of one Embed. 0 means one per CPU.
	Workers int
}

// Model embeds text. It is safe for concurrent use.
type Model struct {
	kernel  string
	workers int
	load    func() (*encoder, error)
	rooms   sync.Pool // of *room, reused between calls
}

// New returns a model. It is cheap: the weights are unpacked on first use, which
// takes some tens of milliseconds.
func New(o Options) (*Model, error) {
	k, err := kernelNamed(o.Kernel)
	if err != nil {
		return nil, err
	}
	return newModel(builtinWeights, k, o.Workers), nil
}

func newModel(weights []byte, k *kernel, workers int) *Model {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Model{
		kernel:  k.name,
		workers: workers,
		load:    sync.OnceValues(func() (*encoder, error) { return newEncoder(weights, k) }),
		rooms:   sync.Pool{New: func() any { return new(room) }},
	}
}

// Name implements [winnow.Embedder].
func (m *Model) Name() string { return Name }

// Dim implements [winnow.Embedder].
func (m *Model) Dim() int { return Dim }

// Kernel names the code path in use, as [Options] do.
func (m *Model) Kernel() string { return m.kernel }

// Embed implements [winnow.Embedder]. A text longer than the model's window of
// 256 pieces has a vector for each of up to [MaxWindows] windows; what lies
// beyond the last is not looked at.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	e, err := m.load()
	if err != nil {
		return nil, err
	}
	vectors := make([][]winnow.Vector, len(texts))
	// Texts are tokenized and windows encoded by the same workers, in two rounds:
	// how windows are best packed is known only when all are cut.
	windows := make([][][]int32, len(texts))
	if err := m.each(ctx, len(texts), func(i int) error {
		windows[i] = cut(e.tokenizer, texts[i])
		vectors[i] = make([]winnow.Vector, len(windows[i]))
		return nil
	}); err != nil {
		return nil, err
	}
	packs := packWindows(windows, vectors)
	err = m.each(ctx, len(packs), func(i int) error {
		r := m.rooms.Get().(*room)
		defer m.rooms.Put(r)
		return e.encode(ctx, packs[i], r)
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// each calls do for 0 to n-1 on the model's workers and waits for all of them.
// The first error, or the context's, stops the rest.
func (m *Model) each(ctx context.Context, n int, do func(int) error) error {
	var next atomic.Int64
	work := func() error {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(i); err != nil {
				next.Store(int64(n))
				return err
			}
		}
	}
	workers := min(m.workers, n)
	if workers <= 1 {
		return work()
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { errs[w] = work() })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// sequence is one window on its way through the encoder: its pieces, and where
// its vector goes.
type sequence struct {
	ids    []int32
	vector *winnow.Vector
}

// packTokens is how many tokens go through the layers together. Matrix products
// run over the tokens of all sequences of a pack, so nothing is padded; more
// tokens reuse each weight more often, fewer keep the activations in the second
// level cache.
const packTokens = 128

// packWindows groups windows, in order, into packs of about packTokens.
func packWindows(windows [][][]int32, vectors [][]winnow.Vector) [][]sequence {
	var packs [][]sequence
	var pack []sequence
	tokens := 0
	for i := range windows {
		for j, ids := range windows[i] {
			if tokens > 0 && tokens+len(ids) > packTokens {
				packs, pack, tokens = append(packs, pack), nil, 0
			}
			pack = append(pack, sequence{ids, &vectors[i][j]})
			tokens += len(ids)
		}
	}
	if tokens > 0 {
		packs = append(packs, pack)
	}
	return packs
}

var _ winnow.Embedder = (*Model)(nil)
