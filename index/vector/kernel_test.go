package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestKernelsAreEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{64, 128, 384, 1024, 2112, 4096, MaxDim} {
		for _, n := range []int{1, 3, strideBlocks} {
			blocks := make([]byte, n*blockSize(width))
			for i := range blocks {
				blocks[i] = byte(rng.Uint32())
			}
			// Rows of extremes: all sums at their greatest and at their least.
			for i := range 2 * blockLen {
				blocks[i] = byte(-(i & 1))
			}
			p := &plan{half: int16(width / 2 * levels(width)), weight: int16(rng.IntN(math.MaxInt16))}
			for range width / 4 {
				low := rng.IntN(4*levels(width) + 1)
				for range 16 {
					p.tables = append(p.tables, byte(max(0, min(4*levels(width), low+rng.IntN(9)-4))))
				}
			}
			for _, floor := range []int32{math.MinInt32, 0, 1 << 20, math.MaxInt32} {
				var want stride
				portable().scan(blocks, width, p, floor, &want)
				for _, k := range kernels() {
					var got stride
					k.scan(blocks, width, p, floor, &got)
					if got != want {
						t.Fatalf("%s differs from portable: width %d, %d blocks, floor %d", k.name, width, n, floor)
					}
				}
			}
		}
	}
}

func TestProductsAreEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for width := 64; width <= MaxDim; width *= 2 {
		words, a, b := make([]int16, width), make([]byte, width), make([]byte, width)
		for i := range width {
			words[i], a[i], b[i] = int16(rng.IntN(512)-256), byte(rng.IntN(255)-127), byte(rng.IntN(255)-127)
		}
		words[0], a[0] = -unit, 127
		var wantWords, wantBytes int32
		for i := range width {
			wantWords += int32(words[i]) * int32(int8(a[i]))
			wantBytes += int32(int8(b[i])) * int32(int8(a[i]))
		}
		for _, k := range kernels() {
			k.fetch(a)
			if got := k.words(words, a); got != wantWords {
				t.Errorf("%s: words of %d: %d, want %d", k.name, width, got, wantWords)
			}
			if got := k.bytes(a, b); got != wantBytes {
				t.Errorf("%s: bytes of %d: %d, want %d", k.name, width, got, wantBytes)
			}
		}
	}
}

// An estimate is exact for the vector itself, and off by about 1/√dimensions
// of what is not common to both for others.
func TestEstimatesAreNear(t *testing.T) {
	s := newSpace(3, 384)
	docs := s.vectors(2000)
	c := column(t, 384, one(docs))
	blocks, err := c.codes.All()
	if err != nil {
		t.Fatal(err)
	}
	var p plan
	var out stride
	for _, i := range []int{0, 77, 1023} {
		p.prepare(NewQuery(docs[i]), c)
		c.kernel.scan(blocks[:strideBlocks*blockSize(c.width)], c.width, &p, 0, &out)
		var square float64
		for v, est := range out.est {
			got := float64(int64(est)*p.slope+p.origin)/(1<<32)/(buckets/2) - 1
			diff := got - dot(docs[i], docs[v])
			if v == i && math.Abs(diff) > 0.01 {
				t.Errorf("vector %d with itself: %.4f", i, got)
			}
			square += diff * diff
		}
		if off := math.Sqrt(square / float64(len(out.est))); off > 0.04 {
			t.Errorf("estimates are off by %.4f", off)
		}
	}
}

func TestTheFloorOfAScanIsThatOfThePool(t *testing.T) {
	for _, p := range []plan{{slope: 1 << 17, origin: 2048 << 32}, {slope: 3, origin: -5}, {slope: 99999, origin: 4000<<32 + 12345}} {
		for _, bucket := range []int{0, 1, 2047, 2048, 4000, buckets - 2} {
			est := p.below(bucket)
			if est > math.MinInt32 && est < math.MaxInt32 && (p.bucket(est) > bucket || p.bucket(est+1) <= bucket) {
				t.Errorf("slope %d: below(%d) = %d, in bucket %d, the next in %d", p.slope, bucket, est, p.bucket(est), p.bucket(est+1))
			}
		}
	}
}
