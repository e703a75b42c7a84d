#include "textflag.h"

// The integer matrix product for NEON: a tile is six rows of a by one panel of
// eight rows of b. A step loads four columns: LD2 parts the pairs of the panel's
// layout into columns, and each row's four words multiply them one by one.

// The assembler does not know SMLAL by element: Vd.4S += Vn.4H · Vm.H[i] for the
// low half of Vn, SMLAL2 for the high one; m below 16.
#define SMLAL(i, m, n, d)  WORD $(0x0F402000 | ((i)>>1)<<21 | ((i)&1)<<20 | (m)<<16 | (n)<<5 | (d))
#define SMLAL2(i, m, n, d) WORD $(0x4F402000 | ((i)>>1)<<21 | ((i)&1)<<20 | (m)<<16 | (n)<<5 | (d))

// ROW multiplies the row in Vm by the columns in V6 to V9.
#define ROW(m, lo, hi) \
	SMLAL(0, m, 6, lo)  \
	SMLAL2(0, m, 6, hi) \
	SMLAL(1, m, 7, lo)  \
	SMLAL2(1, m, 7, hi) \
	SMLAL(2, m, 8, lo)  \
	SMLAL2(2, m, 8, hi) \
	SMLAL(3, m, 9, lo)  \
	SMLAL2(3, m, 9, hi)

// func panelWordsNEON(acc *int32, a *int16, b *int16, tiles, steps, lda, ldc int)
TEXT ·panelWordsNEON(SB), NOSPLIT, $0-56
	MOVD acc+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD tiles+24(FP), R3
	MOVD steps+32(FP), R10
	MOVD lda+40(FP), R11
	MOVD ldc+48(FP), R12

tile:
	MOVD R1, R4
	ADD  R11, R4, R5
	ADD  R11, R5, R6
	ADD  R11, R6, R7
	ADD  R11, R7, R8
	ADD  R11, R8, R9
	ADD  R11, R9, R1
	MOVD R2, R13
	MOVD R10, R14
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16

step:
	VLD2.P  32(R13), [V6.H8, V7.H8]
	VLD2.P  32(R13), [V8.H8, V9.H8]
	FMOVD.P 8(R4), F0
	FMOVD.P 8(R5), F1
	FMOVD.P 8(R6), F2
	FMOVD.P 8(R7), F3
	FMOVD.P 8(R8), F4
	FMOVD.P 8(R9), F5
	ROW(0, 16, 17)
	ROW(1, 18, 19)
	ROW(2, 20, 21)
	ROW(3, 22, 23)
	ROW(4, 24, 25)
	ROW(5, 26, 27)
	SUB     $1, R14
	CBNZ    R14, step

	VST1 [V16.S4, V17.S4], (R0)
	ADD  R12, R0
	VST1 [V18.S4, V19.S4], (R0)
	ADD  R12, R0
	VST1 [V20.S4, V21.S4], (R0)
	ADD  R12, R0
	VST1 [V22.S4, V23.S4], (R0)
	ADD  R12, R0
	VST1 [V24.S4, V25.S4], (R0)
	ADD  R12, R0
	VST1 [V26.S4, V27.S4], (R0)
	ADD  R12, R0
	SUB  $1, R3
	CBNZ R3, tile
	RET
