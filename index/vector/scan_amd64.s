#include "textflag.h"

// The scan. A column of a block is the same byte of 128 codes; its two nibbles
// index two tables of 16 sums. Two sums fit a byte, and bytes are added up in
// 16-bit lanes without unpacking: one accumulator takes the lanes as they are,
// the other only their upper bytes, which in the end are subtracted from the
// first. That then holds the sums of even positions, the other those of odd
// ones.

// VPERMB looks only at the low bits of an index: as a table is repeated four
// times over the register, nibbles need no mask.
#define HALF512(code, even, odd) \
	VMOVDQU64 code(DI), Z6     \
	VPERMB    Z4, Z6, Z7       \
	VPSRLW    $4, Z6, Z6       \
	VPERMB    Z5, Z6, Z6       \
	VPADDB    Z7, Z6, Z6       \
	VPADDW    Z6, even, even   \
	VPSRLW    $8, Z6, Z6       \
	VPADDW    Z6, odd, odd

#define COLUMN512(code, low, high) \
	VBROADCASTI32X4 low(AX), Z4  \
	VBROADCASTI32X4 high(AX), Z5 \
	HALF512(code, Z0, Z1)        \
	HALF512(code+64, Z2, Z3)

// Sixteen sums in the lower words of sum: a multiply-add of pairs (sum, weight)
// with (factor, shift) is the estimate.
#define FINISH512(sum, off, bits) \
	VPORD     Z30, sum, sum       \
	VPMADDWD  off(DI), sum, sum   \
	VMOVDQU32 sum, off(R10)       \
	VPCMPGTD  Z29, sum, K1        \
	KMOVW     K1, bits(R11)

#define FINISHHALF512(even, odd, off, bits) \
	VPSLLW $8, odd, Z4         \
	VPSUBW Z4, even, even      \
	VPSUBW Z31, even, even     \
	VPSUBW Z31, odd, odd       \
	VPANDD Z28, even, Z4       \
	VPANDD Z28, odd, Z5        \
	VPSRLD $16, even, even     \
	VPSRLD $16, odd, odd       \
	FINISH512(Z4, off, bits)   \
	FINISH512(Z5, off+64, bits+2)    \
	FINISH512(even, off+128, bits+4) \
	FINISH512(odd, off+192, bits+6)

// func scanAVX512(blocks, tables *byte, n, columns int, half, weight, floor int32, est *int32, hits *uint64)
TEXT ·scanAVX512(SB), NOSPLIT, $0-64
	MOVQ         blocks+0(FP), DI
	MOVQ         tables+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         columns+24(FP), R8
	MOVL         half+32(FP), AX
	VPBROADCASTW AX, Z31
	MOVL         weight+36(FP), AX
	SHLL         $16, AX
	VPBROADCASTD AX, Z30
	MOVL         floor+40(FP), AX
	VPBROADCASTD AX, Z29
	MOVL         $0xffff, AX
	VPBROADCASTD AX, Z28
	MOVQ         est+48(FP), R10
	MOVQ         hits+56(FP), R11
	SHRQ         $2, R8

block512:
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ   SI, AX
	MOVQ   R8, BX

columns512:
	COLUMN512(0, 0, 16)
	COLUMN512(128, 32, 48)
	COLUMN512(256, 64, 80)
	COLUMN512(384, 96, 112)
	ADDQ $512, DI
	ADDQ $128, AX
	DECQ BX
	JNZ  columns512

	FINISHHALF512(Z0, Z1, 0, 0)
	FINISHHALF512(Z2, Z3, 256, 8)
	ADDQ $512, DI
	ADDQ $512, R10
	ADDQ $16, R11
	DECQ CX
	JNZ  block512
	VZEROUPPER
	RET

#define QUARTER2(code, even, odd) \
	VMOVDQU code(DI), Y10    \
	VPAND   Y15, Y10, Y11    \
	VPSRLW  $4, Y10, Y10     \
	VPAND   Y15, Y10, Y10    \
	VPSHUFB Y11, Y8, Y11     \
	VPSHUFB Y10, Y9, Y10     \
	VPADDB  Y11, Y10, Y10    \
	VPADDW  Y10, even, even  \
	VPSRLW  $8, Y10, Y10     \
	VPADDW  Y10, odd, odd

#define COLUMN2(code, low, high) \
	VBROADCASTI128 low(AX), Y8  \
	VBROADCASTI128 high(AX), Y9 \
	QUARTER2(code, Y0, Y1)      \
	QUARTER2(code+32, Y2, Y3)   \
	QUARTER2(code+64, Y4, Y5)   \
	QUARTER2(code+96, Y6, Y7)

#define FINISH2(sum, off, bits) \
	VPBLENDW  $0xaa, Y13, sum, sum \
	VPMADDWD  off(DI), sum, sum    \
	VMOVDQU   sum, off(R10)        \
	VPCMPGTD  Y12, sum, sum        \
	VMOVMSKPS sum, AX              \
	MOVB      AX, bits(R11)

#define FINISHQUARTER2(even, odd, off, bits) \
	VPSLLW $8, odd, Y8       \
	VPSUBW Y8, even, even    \
	VPSUBW Y14, even, even   \
	VPSUBW Y14, odd, odd     \
	VPSRLD $16, even, Y8     \
	VPSRLD $16, odd, Y9      \
	FINISH2(even, off, bits)       \
	FINISH2(odd, off+64, bits+2)   \
	FINISH2(Y8, off+128, bits+4)   \
	FINISH2(Y9, off+192, bits+6)

// func scanAVX2(blocks, tables *byte, n, columns int, half, weight, floor int32, est *int32, hits *uint64)
TEXT ·scanAVX2(SB), NOSPLIT, $0-64
	MOVQ         blocks+0(FP), DI
	MOVQ         tables+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         columns+24(FP), R8
	MOVL         $0x0f0f0f0f, AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	MOVL         half+32(FP), AX
	VMOVD        AX, X14
	VPBROADCASTW X14, Y14
	MOVL         weight+36(FP), AX
	SHLL         $16, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	MOVL         floor+40(FP), AX
	VMOVD        AX, X12
	VPBROADCASTD X12, Y12
	MOVQ         est+48(FP), R10
	MOVQ         hits+56(FP), R11
	SHRQ         $1, R8

block2:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	MOVQ  SI, AX
	MOVQ  R8, BX

columns2:
	COLUMN2(0, 0, 16)
	COLUMN2(128, 32, 48)
	ADDQ $256, DI
	ADDQ $64, AX
	DECQ BX
	JNZ  columns2

	FINISHQUARTER2(Y0, Y1, 0, 0)
	FINISHQUARTER2(Y2, Y3, 32, 1)
	FINISHQUARTER2(Y4, Y5, 256, 8)
	FINISHQUARTER2(Y6, Y7, 288, 9)
	ADDQ $512, DI
	ADDQ $512, R10
	ADDQ $16, R11
	DECQ CX
	JNZ  block2
	VZEROUPPER
	RET
