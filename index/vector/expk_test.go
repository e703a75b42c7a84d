package vector

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/winnow-search/winnow/index/segment"
)

func TestExpK(t *testing.T) {
	for _, n := range []int{22977, 100000} {
		f, err := segment.Open(fmt.Sprintf("/tmp/vecexp/col-%d", n))
		if err != nil {
			t.Skip(err)
		}
		c, _ := Open(f)
		qs := expLoad(t, "hotpotqa.questions.f32")
		var s scratch
		s.plan.prepare(NewQuery(qs[0]), c)
		blocks, _ := c.codes.All()
		if os.Getenv("COPY") != "" {
			blocks = append([]byte(nil), blocks...)
		}
		size := strideBlocks * blockSize(c.width)
		for round := range 2 {
			for _, k := range kernels() {
				best, bestL1 := time.Hour, time.Hour
				for range 200 {
					start := time.Now()
					for b := blocks; len(b) > 0; {
						m := min(size, len(b))
						k.scan(b[:m], c.width, &s.plan, math.MaxInt32, &s.stride)
						b = b[m:]
					}
					best = min(best, time.Since(start))
					start = time.Now()
					for range 100 {
						k.scan(blocks[:size/4], c.width, &s.plan, math.MaxInt32, &s.stride)
					}
					bestL1 = min(bestL1, time.Since(start))
					if k.name == "portable" && best < time.Hour && round > 0 {
						break
					}
				}
				t.Logf("%d %s scan %v, %.2f ns/vector, L1 %.2f", n, k.name, best, float64(best.Nanoseconds())/float64(n), float64(bestL1.Nanoseconds())/25600)
			}
		}
	}
}
