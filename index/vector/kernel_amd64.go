package vector

import "golang.org/x/sys/cpu"

// kernels lists what this CPU can run, the best first.
func kernels() []*kernel {
	list := []*kernel{portable()}
	if !cpu.X86.HasAVX2 {
		return list
	}
	avx2 := &kernel{name: "avx2", scan: scanWithAVX2, words: wordsWithAVX2, bytes: bytesWithAVX2, fetch: fetch}
	list = append([]*kernel{avx2}, list...)
	if !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512VBMI {
		return list
	}
	// Rescoring waits for memory, so wider products would gain nothing.
	avx512 := *avx2
	avx512.name, avx512.scan = "avx512", scanWithAVX512
	return append([]*kernel{&avx512}, list...)
}

func scanWithAVX2(blocks []byte, width int, p *plan, floor int32, out *stride) {
	if n := len(blocks) / blockSize(width); n > 0 {
		scanAVX2(&blocks[0], &p.tables[0], n, width/8, int32(p.half), int32(p.weight), floor, &out.est[0], &out.hits[0])
	}
}

func scanWithAVX512(blocks []byte, width int, p *plan, floor int32, out *stride) {
	if n := len(blocks) / blockSize(width); n > 0 {
		scanAVX512(&blocks[0], &p.tables[0], n, width/8, int32(p.half), int32(p.weight), floor, &out.est[0], &out.hits[0])
	}
}

func wordsWithAVX2(q []int16, v []byte) int32 { return wordsAVX2(&q[0], &v[0], len(q)) }
func bytesWithAVX2(a, b []byte) int32         { return bytesAVX2(&a[0], &b[0], len(a)) }

func fetch(v []byte) { prefetch(&v[0], len(v)) }

//go:noescape
func prefetch(v *byte, n int)

//go:noescape
func scanAVX2(blocks, tables *byte, n, columns int, half, weight, floor int32, est *int32, hits *uint64)

//go:noescape
func scanAVX512(blocks, tables *byte, n, columns int, half, weight, floor int32, est *int32, hits *uint64)

//go:noescape
func wordsAVX2(q *int16, v *byte, n int) int32

//go:noescape
func bytesAVX2(a, b *byte, n int) int32
