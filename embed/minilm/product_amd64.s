#include "textflag.h"

// Integer matrix products. A tile is six rows of a by one panel of b: twelve
// accumulators, which is what hides the latency of the multiply-add on every
// CPU that has it. Two vectors of b are loaded per step and used six times; a
// group of each row of a is broadcast.

// func panelWordsAVX2(acc *int32, a *int16, b *int16, tiles, steps, lda, ldc int)
#define ROW2(mem, lo, hi) \
	VPBROADCASTD mem, Y14       \
	VPMADDWD     Y12, Y14, Y15  \
	VPADDD       Y15, lo, lo    \
	VPMADDWD     Y13, Y14, Y14  \
	VPADDD       Y14, hi, hi

#define STEP2(offB, offA) \
	VMOVDQU offB(DX), Y12        \
	VMOVDQU (offB+32)(DX), Y13   \
	ROW2(offA(SI), Y0, Y1)       \
	ROW2(offA(SI)(R9*1), Y2, Y3) \
	ROW2(offA(SI)(R9*2), Y4, Y5) \
	ROW2(offA(R11), Y6, Y7)      \
	ROW2(offA(R11)(R9*1), Y8, Y9) \
	ROW2(offA(R11)(R9*2), Y10, Y11)

TEXT ·panelWordsAVX2(SB), NOSPLIT, $0-56
	MOVQ acc+0(FP), DI
	MOVQ a+8(FP), AX
	MOVQ b+16(FP), BX
	MOVQ tiles+24(FP), CX
	MOVQ steps+32(FP), R8
	MOVQ lda+40(FP), R9
	MOVQ ldc+48(FP), R10
	SHRQ $1, R8
	LEAQ (R9)(R9*2), R12

tile2:
	MOVQ  AX, SI
	LEAQ  (AX)(R12*1), R11
	MOVQ  BX, DX
	MOVQ  R8, R13
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11

step2:
	STEP2(0, 0)
	STEP2(64, 4)
	ADDQ $128, DX
	ADDQ $8, SI
	ADDQ $8, R11
	DECQ R13
	JNZ  step2

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ    R10, DI
	VMOVDQU Y2, (DI)
	VMOVDQU Y3, 32(DI)
	ADDQ    R10, DI
	VMOVDQU Y4, (DI)
	VMOVDQU Y5, 32(DI)
	ADDQ    R10, DI
	VMOVDQU Y6, (DI)
	VMOVDQU Y7, 32(DI)
	ADDQ    R10, DI
	VMOVDQU Y8, (DI)
	VMOVDQU Y9, 32(DI)
	ADDQ    R10, DI
	VMOVDQU Y10, (DI)
	VMOVDQU Y11, 32(DI)
	ADDQ    R10, DI
	LEAQ    (AX)(R12*2), AX
	DECQ    CX
	JNZ     tile2
	VZEROUPPER
	RET

// The AVX-512 tiles differ only in the instruction: pairs of words or groups of
// four bytes, 32 bits each.
#define ROW5(dot, mem, lo, hi) \
	VPBROADCASTD mem, Z14      \
	dot          Z12, Z14, lo  \
	dot          Z13, Z14, hi

#define STEP5(dot, offB, offA) \
	VMOVDQU32 offB(DX), Z12           \
	VMOVDQU32 (offB+64)(DX), Z13      \
	ROW5(dot, offA(SI), Z0, Z1)       \
	ROW5(dot, offA(SI)(R9*1), Z2, Z3) \
	ROW5(dot, offA(SI)(R9*2), Z4, Z5) \
	ROW5(dot, offA(R11), Z6, Z7)      \
	ROW5(dot, offA(R11)(R9*1), Z8, Z9) \
	ROW5(dot, offA(R11)(R9*2), Z10, Z11)

#define TILES5(dot) \
	MOVQ acc+0(FP), DI      \
	MOVQ a+8(FP), AX        \
	MOVQ b+16(FP), BX       \
	MOVQ tiles+24(FP), CX   \
	MOVQ steps+32(FP), R8   \
	MOVQ lda+40(FP), R9     \
	MOVQ ldc+48(FP), R10    \
	SHRQ $1, R8             \
	LEAQ (R9)(R9*2), R12    \
tile5:                          \
	MOVQ   AX, SI           \
	LEAQ   (AX)(R12*1), R11 \
	MOVQ   BX, DX           \
	MOVQ   R8, R13          \
	VPXORD Z0, Z0, Z0       \
	VPXORD Z1, Z1, Z1       \
	VPXORD Z2, Z2, Z2       \
	VPXORD Z3, Z3, Z3       \
	VPXORD Z4, Z4, Z4       \
	VPXORD Z5, Z5, Z5       \
	VPXORD Z6, Z6, Z6       \
	VPXORD Z7, Z7, Z7       \
	VPXORD Z8, Z8, Z8       \
	VPXORD Z9, Z9, Z9       \
	VPXORD Z10, Z10, Z10    \
	VPXORD Z11, Z11, Z11    \
step5:                          \
	STEP5(dot, 0, 0)        \
	STEP5(dot, 128, 4)      \
	ADDQ $256, DX           \
	ADDQ $8, SI             \
	ADDQ $8, R11            \
	DECQ R13                \
	JNZ  step5              \
	VMOVDQU32 Z0, (DI)      \
	VMOVDQU32 Z1, 64(DI)    \
	ADDQ      R10, DI       \
	VMOVDQU32 Z2, (DI)      \
	VMOVDQU32 Z3, 64(DI)    \
	ADDQ      R10, DI       \
	VMOVDQU32 Z4, (DI)      \
	VMOVDQU32 Z5, 64(DI)    \
	ADDQ      R10, DI       \
	VMOVDQU32 Z6, (DI)      \
	VMOVDQU32 Z7, 64(DI)    \
	ADDQ      R10, DI       \
	VMOVDQU32 Z8, (DI)      \
	VMOVDQU32 Z9, 64(DI)    \
	ADDQ      R10, DI       \
	VMOVDQU32 Z10, (DI)     \
	VMOVDQU32 Z11, 64(DI)   \
	ADDQ      R10, DI       \
	LEAQ      (AX)(R12*2), AX \
	DECQ      CX            \
	JNZ       tile5         \
	VZEROUPPER              \
	RET

// func panelWordsAVX512(acc *int32, a *int16, b *int16, tiles, steps, lda, ldc int)
TEXT ·panelWordsAVX512(SB), NOSPLIT, $0-56
	TILES5(VPDPWSSD)

// func panelBytesAVX512(acc *int32, a *uint8, b *int8, tiles, steps, lda, ldc int)
TEXT ·panelBytesAVX512(SB), NOSPLIT, $0-56
	TILES5(VPDPBUSD)

// func widenAVX2(dst *int16, src *uint8, n int)
TEXT ·widenAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

widen16:
	VPMOVZXBW (SI), Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $16, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNZ       widen16
	VZEROUPPER
	RET
