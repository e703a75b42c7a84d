package minilm

// The portable kernel: what the others must equal, and what runs where there is
// no assembly. Its integer products do two rows at once in one 64-bit register.

func portable() *kernel {
	return &kernel{
		name: "portable",
		newMatrix: func(rows []byte, out, in int) matrix {
			return &plainMatrix{panels[int8](rows, out, in, 1, in), out, in}
		},
		multiply:   multiplyWords,
		panel:      1,
		dequantise: dequantise,
		addNorm:    addNorm,
		gelu:       gelu,
		bounds:     bounds,
		toBytes:    toBytes,
		maxAbs:     maxAbs,
		toWords:    toWords,
		softmax:    softmax,
	}
}

// plainMatrix keeps the rows as they come.
type plainMatrix struct {
	rows    []int8
	out, in int
}

func (m *plainMatrix) multiply(acc []int32, a []uint8, rows int, _ *room) {
	var twins [hiddenDim]int64
	for r := 0; r < rows; r += 2 {
		x, y := a[r*m.in:(r+1)*m.in], a[(r+1)*m.in:(r+2)*m.in]
		for i := range x {
			twins[i] = int64(x[i]) + int64(y[i])<<32
		}
		twinProducts(acc[r*m.out:(r+1)*m.out], acc[(r+1)*m.out:(r+2)*m.out], twins[:m.in], m.rows)
	}
}

func multiplyWords(acc []int32, a []int16, lda int, b []int16, rows, out, in int) {
	var twins [maxTokens]int64
	for r := 0; r < rows; r += 2 {
		x, y := a[r*lda:r*lda+in], a[(r+1)*lda:(r+1)*lda+in]
		for i := range x {
			twins[i] = int64(x[i]) + int64(y[i])<<32
		}
		twinProducts(acc[r*out:(r+1)*out], acc[(r+1)*out:(r+2)*out], twins[:in], b)
	}
}

// twinProducts multiplies two rows, x in the low and y in the high half of each
// twin, by all rows of b. The sums of both halves stay below 2³¹, so one 64-bit
// product adds to two sums: the low one is read off, and what it borrowed from
// the high one is given back.
func twinProducts[T int8 | int16](x, y []int32, twins []int64, b []T) {
	in := len(twins)
	for n := 0; n < len(x); n += 2 {
		s0, s1 := twinProduct(twins, b[n*in:(n+1)*in], b[(n+1)*in:(n+2)*in])
		x[n], y[n] = part(s0)
		x[n+1], y[n+1] = part(s1)
	}
}

// twinProduct is small so that the compiler keeps all of it in registers.
func twinProduct[T int8 | int16](twins []int64, b0, b1 []T) (s0, s1 int64) {
	b0, b1 = b0[:len(twins)], b1[:len(twins)]
	var t0, t1 int64
	for i := 0; i+1 < len(twins); i += 2 {
		x, y := twins[i], twins[i+1]
		s0 += x * int64(b0[i])
		s1 += x * int64(b1[i])
		t0 += y * int64(b0[i+1])
		t1 += y * int64(b1[i+1])
	}
	return s0 + t0, s1 + t1
}

func part(s int64) (low, high int32) {
	low = int32(s)
	return low, int32((s - int64(low)) >> 32)
}
