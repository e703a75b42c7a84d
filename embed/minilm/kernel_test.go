package minilm

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// others are the kernels of this machine beside the portable one.
func others(t *testing.T) []*kernel {
	list := kernels()
	if len(list) == 1 {
		t.Skip("this machine has only the portable kernel")
	}
	return list[:len(list)-1]
}

func floats(r *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * scale * math.Exp(r.NormFloat64()))
	}
	return x
}

func integers[T int8 | uint8 | int16 | int32](r *rand.Rand, n int, lo, hi int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(lo + r.IntN(hi-lo+1))
	}
	return x
}

// bitEqual compares floats by their bits: equal means equal, also for −0.
func bitEqual(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func TestEveryKernelEqualsThePortableOneToTheBit(t *testing.T) {
	want := portable()
	for _, k := range others(t) {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, n := range []int{8, 16, 32, 96, Dim, hiddenDim} {
				for _, scale := range []float64{1e-6, 0.01, 1, 5, 300} {
					t.Run(fmt.Sprintf("%d×%g", n, scale), func(t *testing.T) { floatSteps(t, k, want, r, n, scale) })
				}
			}
			for _, shape := range []struct{ rows, out, in int }{{6, 32, 4}, {6, 32, 32}, {12, 256, 32}, {18, 32, 256}, {24, 96, 128}} {
				products(t, k, want, r, shape.rows, shape.out, shape.in)
			}
			for _, shape := range []struct{ rows, out, in int }{{6, 32, 8}, {12, Dim, Dim}, {6, Dim, hiddenDim}, {6, hiddenDim, Dim}} {
				weightProducts(t, k, want, r, shape.rows, shape.out, shape.in)
			}
		})
	}
}

func floatSteps(t *testing.T, k, want *kernel, r *rand.Rand, n int, scale float64) {
	x, y := floats(r, n, scale), floats(r, n, scale)
	gamma, beta := floats(r, n, 1), floats(r, n, 1)
	check := func(step string, f func(k *kernel) []float32) {
		t.Helper()
		if got, want := f(k), f(want); !bitEqual(got, want) {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	check("addNorm", func(k *kernel) []float32 {
		z := slices.Clone(x)
		k.addNorm(z, y, gamma, beta)
		return z
	})
	check("gelu", func(k *kernel) []float32 {
		z := slices.Clone(x)
		k.gelu(z)
		return z
	})
	check("bounds", func(k *kernel) []float32 {
		lo, hi := k.bounds(x, gamma)
		return []float32{lo, hi}
	})
	check("maxAbs", func(k *kernel) []float32 { return []float32{k.maxAbs(x)} })
	acc, sum := integers[int32](r, n, -1<<24, 1<<24), integers[int32](r, n, -4000, 4000)
	check("dequantise", func(k *kernel) []float32 {
		z := make([]float32, n)
		k.dequantise(z, acc, sum, gamma, beta, 131, float32(scale))
		return z
	})
	lo, hi := want.bounds(x, gamma)
	got, bytes := make([]uint8, n), make([]uint8, n)
	// Both ends are made to clamp: the zero point is off by a little.
	for _, zero := range []int32{nearest(-lo*255/(hi-lo)) - 3, nearest(-lo*255/(hi-lo)) + 3} {
		k.toBytes(got, x, gamma, 255/(hi-lo), zero)
		want.toBytes(bytes, x, gamma, 255/(hi-lo), zero)
		if !slices.Equal(got, bytes) {
			t.Errorf("toBytes: %v, want %v", got, bytes)
		}
	}
	gotWords, words := make([]int16, n), make([]int16, n)
	k.toWords(gotWords, x, one/want.maxAbs(x))
	want.toWords(words, x, one/want.maxAbs(x))
	if !slices.Equal(gotWords, words) {
		t.Errorf("toWords: %v, want %v", gotWords, words)
	}
	scores := integers[int32](r, n, -1<<31, 1<<31-1)
	scores[n-1] = math.MinInt32
	check("softmax", func(k *kernel) []float32 {
		exps := make([]float32, n)
		k.softmax(gotWords, exps, scores, float32(scale)*1e-8)
		return exps
	})
	want.softmax(words, make([]float32, n), scores, float32(scale)*1e-8)
	k.softmax(gotWords, make([]float32, n), scores, float32(scale)*1e-8)
	if !slices.Equal(gotWords, words) {
		t.Errorf("softmax: %v, want %v", gotWords, words)
	}
}

// byteRows makes weights as the file has them.
func byteRows(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(255) - 127)
	}
	return b
}

func products(t *testing.T, k, want *kernel, r *rand.Rand, rows, out, in int) {
	t.Helper()
	// Rows of a are part of a wider matrix, as a head's queries are.
	a := integers[int16](r, rows*(in+8), -wordLimit, wordLimit)
	// What is laid out as bytes is scaled up to words afterwards, to come near
	// the limit of 32 bits.
	b := byteRows(r, out*in)
	limit := min(64, math.MaxInt32/(127*wordLimit*in))
	got, sum := make([]int32, rows*out), make([]int32, rows*out)
	k.multiply(got, a, in+8, scaled(panels[int16](b, out, in, k.panel, 2), limit), rows, out, in)
	want.multiply(sum, a, in+8, scaled(panels[int16](b, out, in, want.panel, 2), limit), rows, out, in)
	if !slices.Equal(got, sum) {
		t.Errorf("%d×%d×%d words: products differ", rows, out, in)
	}
}

func scaled(b []int16, by int) []int16 {
	for i := range b {
		b[i] *= int16(by)
	}
	return b
}

func weightProducts(t *testing.T, k, want *kernel, r *rand.Rand, rows, out, in int) {
	t.Helper()
	a := integers[uint8](r, rows*in, 0, 255)
	w := byteRows(r, out*in)
	var rm room
	rm.fit(rows)
	got, sum := make([]int32, rows*out), make([]int32, rows*out)
	k.newMatrix(w, out, in).multiply(got, a, rows, &rm)
	want.newMatrix(w, out, in).multiply(sum, a, rows, &rm)
	if !slices.Equal(got, sum) {
		t.Errorf("%d×%d×%d bytes: products differ", rows, out, in)
	}
}

func TestEveryKernelEmbedsTheSame(t *testing.T) {
	texts := []string{"a", "Where was the father of the composer born?", passages(t)[150], "naïve 東京"}
	want := mustEmbed(t, newTestModel(t, Options{Kernel: "portable"}), texts)
	for _, k := range others(t) {
		got := mustEmbed(t, newTestModel(t, Options{Kernel: k.name}), texts)
		for i := range texts {
			if !bitEqual(got[i][0], want[i][0]) {
				t.Errorf("%s differs on %q (cosine %v)", k.name, texts[i], cosine(got[i][0], want[i][0]))
			}
		}
	}
}

func TestPortableProductsAreSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rows, out, in = 6, 8, 20
	a, w := integers[uint8](r, rows*in, 0, 255), byteRows(r, out*in)
	got := make([]int32, rows*out)
	portable().newMatrix(w, out, in).multiply(got, a, rows, nil)
	for i := range rows {
		for o := range out {
			var sum int32
			for c := range in {
				sum += int32(a[i*in+c]) * int32(int8(w[o*in+c]))
			}
			if got[i*out+o] != sum {
				t.Fatalf("row %d, output %d: %d, want %d", i, o, got[i*out+o], sum)
			}
		}
	}
}

func TestFloatStepsAreTheirFormulas(t *testing.T) {
	for v := float32(-8); v <= 8; v += 0.003 {
		x := []float32{v}
		gelu(x)
		if want := 0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2)); math.Abs(float64(x[0])-want) > 3e-6 {
			t.Fatalf("gelu(%v) = %v, want %v", v, x[0], want)
		}
	}
	scores := []int32{0, -100, -1000, -20000, -1 << 30, -3, 0, -50}
	weights, exps := make([]int16, len(scores)), make([]float32, len(scores))
	softmax(weights, exps, scores, 0.001)
	var sum float64
	for i, s := range scores {
		want := math.Exp(max(-87, float64(s)*0.001))
		sum += want
		if math.Abs(float64(exps[i])-want) > 3e-7*want {
			t.Errorf("exp(%v) = %v, want %v", float64(s)*0.001, exps[i], want)
		}
	}
	for i := range scores {
		if want := float64(exps[i]) / sum * one; math.Abs(float64(weights[i])-want) > 0.51 {
			t.Errorf("weight %d is %d, want %.1f", i, weights[i], want)
		}
	}
}

// The digest was taken on amd64; an arm64 that agrees proves that no compiler
// fused what must be rounded.
func TestVectorsAreTheSameOnEveryArchitecture(t *testing.T) {
	const want = 0x345d5f8d
	digest := crc32.NewIEEE()
	for _, v := range mustEmbed(t, newTestModel(t, Options{}), passages(t)[:24]) {
		if err := binary.Write(digest, binary.LittleEndian, []float32(v[0])); err != nil {
			t.Fatal(err)
		}
	}
	if got := digest.Sum32(); got != want {
		t.Errorf("digest %#08x, want %#08x", got, want)
	}
}
