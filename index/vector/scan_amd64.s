#include "textflag.h"

// The scan of a block. A column is the same byte of 64 codes; its two nibbles
// index two tables of 16 sums. Two sums fit a byte, and their bytes are added
// up in 16-bit lanes without unpacking: one accumulator takes the lanes as they
// are, the other only their upper bytes, which are then subtracted from the
// first. Lanes of the first then hold the sums of even positions, lanes of the
// second those of odd ones.

// A column with VPERMB, which looks only at the low bits of an index: as the
// table is repeated four times over the register, nibbles need no mask.
#define COLUMN512(code, low, high) \
	VMOVDQU64       code(DI), Z2 \
	VBROADCASTI32X4 low(AX), Z3  \
	VBROADCASTI32X4 high(AX), Z4 \
	VPERMB          Z3, Z2, Z3   \
	VPSRLW          $4, Z2, Z2   \
	VPERMB          Z4, Z2, Z4   \
	VPADDB          Z3, Z4, Z3   \
	VPADDW          Z3, Z0, Z0   \
	VPSRLW          $8, Z3, Z3   \
	VPADDW          Z3, Z1, Z1

// Sixteen sums in the lower words of sum: a multiply-add of pairs (sum, weight)
// with (factor, shift) is the estimate.
#define FINISH512(sum, off, bits) \
	VPORD     Z30, sum, sum       \
	VPMADDWD  off(DI), sum, sum   \
	VMOVDQU32 sum, off(R10)       \
	VPCMPGTD  Z29, sum, K1        \
	KMOVW     K1, bits(R11)

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
	MOVQ   SI, AX
	MOVQ   R8, BX

columns512:
	COLUMN512(0, 0, 16)
	COLUMN512(64, 32, 48)
	COLUMN512(128, 64, 80)
	COLUMN512(192, 96, 112)
	ADDQ $256, DI
	ADDQ $128, AX
	DECQ BX
	JNZ  columns512

	VPSLLW $8, Z1, Z2
	VPSUBW Z2, Z0, Z0
	VPSUBW Z31, Z0, Z0
	VPSUBW Z31, Z1, Z1
	VPANDD Z28, Z0, Z2
	VPANDD Z28, Z1, Z3
	VPSRLD $16, Z0, Z4
	VPSRLD $16, Z1, Z5
	FINISH512(Z2, 0, 0)
	FINISH512(Z3, 64, 2)
	FINISH512(Z4, 128, 4)
	FINISH512(Z5, 192, 6)
	ADDQ   $256, DI
	ADDQ   $256, R10
	ADDQ   $8, R11
	DECQ   CX
	JNZ    block512
	VZEROUPPER
	RET

#define HALF2(code, even, odd) \
	VMOVDQU code(DI), Y6   \
	VPAND   Y15, Y6, Y7    \
	VPSRLW  $4, Y6, Y6     \
	VPAND   Y15, Y6, Y6    \
	VPSHUFB Y7, Y4, Y7     \
	VPSHUFB Y6, Y5, Y6     \
	VPADDB  Y7, Y6, Y6     \
	VPADDW  Y6, even, even \
	VPSRLW  $8, Y6, Y6     \
	VPADDW  Y6, odd, odd

#define COLUMN2(code, low, high) \
	VBROADCASTI128 low(AX), Y4   \
	VBROADCASTI128 high(AX), Y5  \
	HALF2(code, Y0, Y1)          \
	HALF2(code+32, Y2, Y3)

#define FINISH2(sum, off, bits) \
	VPBLENDW  $0xaa, Y13, sum, sum \
	VPMADDWD  off(DI), sum, sum    \
	VMOVDQU   sum, off(R10)        \
	VPCMPGTD  Y12, sum, sum        \
	VMOVMSKPS sum, AX              \
	MOVB      AX, bits(R11)

#define EVENODD2(even, odd) \
	VPSLLW $8, odd, Y4      \
	VPSUBW Y4, even, even   \
	VPSUBW Y14, even, even  \
	VPSUBW Y14, odd, odd    \
	VPSRLD $16, even, Y4    \
	VPSRLD $16, odd, Y5

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
	MOVQ  SI, AX
	MOVQ  R8, BX

columns2:
	COLUMN2(0, 0, 16)
	COLUMN2(64, 32, 48)
	ADDQ $128, DI
	ADDQ $64, AX
	DECQ BX
	JNZ  columns2

	EVENODD2(Y0, Y1)
	FINISH2(Y0, 0, 0)
	FINISH2(Y1, 64, 2)
	FINISH2(Y4, 128, 4)
	FINISH2(Y5, 192, 6)
	EVENODD2(Y2, Y3)
	FINISH2(Y2, 32, 1)
	FINISH2(Y3, 96, 3)
	FINISH2(Y4, 160, 5)
	FINISH2(Y5, 224, 7)
	ADDQ $256, DI
	ADDQ $256, R10
	ADDQ $8, R11
	DECQ CX
	JNZ  block2
	VZEROUPPER
	RET
