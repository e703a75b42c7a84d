package vector

import (
	"math"
	"os"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// benchColumn has 100,000 vectors of 384 dimensions, made from real ones where
// WINNOW_VECTORS names them, and 200 chunks to leave out.
func benchColumn(b *testing.B) (Part, []winnow.Vector) {
	b.Helper()
	const n = 100_000
	var docs, queries []winnow.Vector
	if os.Getenv("WINNOW_VECTORS") != "" {
		docs, queries = jittered(realVectors(b, "*.docs.f32"), n, 0.5), realVectors(b, "*.questions.f32")[:64]
	} else {
		s := newSpace(1, 384)
		docs, queries = jittered(s.vectors(5000), n, 0.5), s.vectors(64)
	}
	deny := segment.NewBits(n)
	for i := range uint32(200) {
		deny.Set(i * 499)
	}
	return Part{Column: column(b, 384, one(docs)), Deny: deny}, queries
}

// BenchmarkColumn is one benchmark, since the column takes longer to make than
// all of it to measure.
func BenchmarkColumn(b *testing.B) {
	p, queries := benchColumn(b)
	c := p.Column
	blocks, err := c.codes.All()
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range kernels() {
		c.kernel = k
		b.Run("scan/"+k.name, func(b *testing.B) {
			var s scratch
			s.plan.prepare(NewQuery(queries[0]), c)
			size := strideBlocks * blockSize(c.width)
			for b.Loop() {
				for rest := blocks; len(rest) > 0; rest = rest[min(size, len(rest)):] {
					k.scan(rest[:min(size, len(rest))], c.width, &s.plan, math.MaxInt32, &s.stride)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.Len()), "ns/vector")
		})
		b.Run("search/"+k.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				search(b, queries[i%len(queries)], 50, p)
			}
		})
		b.Run("exact/"+k.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				searchExact(b, queries[i%len(queries)], 50, p)
			}
		})
		b.Run("score/"+k.name, func(b *testing.B) {
			q := NewQuery(queries[0])
			for i := 0; b.Loop(); i++ {
				c.Score(q, uint32(i%500*199))
			}
		})
		b.Run("dot/"+k.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				c.Dot(uint32(i%50*1999), c, uint32(i%47*1997))
			}
		})
	}
	b.Run("query", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			NewQuery(queries[i%len(queries)])
		}
	})
}
