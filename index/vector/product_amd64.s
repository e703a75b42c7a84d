#include "textflag.h"

// Products of vectors whose lengths are multiples of 64. Bytes are widened to
// words: the byte multiply-add saturates, and the wait is for memory anyway.

#define SUM \
	VPADDD       Y1, Y0, Y0    \
	VEXTRACTI128 $1, Y0, X1    \
	VPADDD       X1, X0, X0    \
	VPSHUFD      $0x4e, X0, X1 \
	VPADDD       X1, X0, X0    \
	VPSHUFD      $0xb1, X0, X1 \
	VPADDD       X1, X0, X0    \
	VMOVD        X0, AX        \
	VZEROUPPER

// func wordsAVX2(q *int16, v *byte, n int) int32
TEXT ·wordsAVX2(SB), NOSPLIT, $0-28
	MOVQ  q+0(FP), SI
	MOVQ  v+8(FP), DI
	MOVQ  n+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

words:
	VPMOVSXBW (DI), Y2
	VPMOVSXBW 16(DI), Y3
	VPMOVSXBW 32(DI), Y4
	VPMOVSXBW 48(DI), Y5
	VPMADDWD  (SI), Y2, Y2
	VPMADDWD  32(SI), Y3, Y3
	VPMADDWD  64(SI), Y4, Y4
	VPMADDWD  96(SI), Y5, Y5
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	VPADDD    Y4, Y0, Y0
	VPADDD    Y5, Y1, Y1
	ADDQ      $64, DI
	ADDQ      $128, SI
	SUBQ      $64, CX
	JNZ       words
	SUM
	MOVL      AX, ret+24(FP)
	RET

// func bytesAVX2(a, b *byte, n int) int32
TEXT ·bytesAVX2(SB), NOSPLIT, $0-28
	MOVQ  a+0(FP), SI
	MOVQ  b+8(FP), DI
	MOVQ  n+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

bytes:
	VPMOVSXBW (DI), Y2
	VPMOVSXBW 16(DI), Y3
	VPMOVSXBW (SI), Y4
	VPMOVSXBW 16(SI), Y5
	VPMADDWD  Y4, Y2, Y2
	VPMADDWD  Y5, Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, DI
	ADDQ      $32, SI
	SUBQ      $32, CX
	JNZ       bytes
	SUM
	MOVL      AX, ret+24(FP)
	RET

// func prefetch(v *byte, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ       v+0(FP), DI
	MOVQ       n+8(FP), CX
	PREFETCHT0 -1(DI)(CX*1)

lines:
	PREFETCHT0 (DI)
	ADDQ       $64, DI
	SUBQ       $64, CX
	JHI        lines
	RET
