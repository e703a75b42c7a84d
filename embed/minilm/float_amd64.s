#include "textflag.h"

// The float steps of float.go at eight lanes, operation for operation: no fused
// multiply-add, and sums joined in the order of joined.

// JOIN adds up the eight lanes of Y0 into X0; it uses X1.
#define JOIN \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPS       X1, X0, X0 \
	VMOVHLPS     X0, X0, X1 \
	VADDPS       X1, X0, X0 \
	VMOVSHDUP    X0, X1     \
	VADDSS       X1, X0, X0

// func dequantiseAVX2(dst *float32, acc, sum *int32, scale, bias *float32, n int, zero int32, s float32)
TEXT ·dequantiseAVX2(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         acc+8(FP), SI
	MOVQ         sum+16(FP), R8
	MOVQ         scale+24(FP), R9
	MOVQ         bias+32(FP), R10
	MOVQ         n+40(FP), CX
	MOVL         zero+48(FP), AX
	VMOVD        AX, X14
	VPBROADCASTD X14, Y14
	VBROADCASTSS s+52(FP), Y15
	XORQ         AX, AX

dequantise8:
	VPMULLD   (R8)(AX*4), Y14, Y0
	VMOVDQU   (SI)(AX*4), Y1
	VPSUBD    Y0, Y1, Y1
	VCVTDQ2PS Y1, Y1
	VMULPS    (R9)(AX*4), Y15, Y2
	VMULPS    Y2, Y1, Y1
	VADDPS    (R10)(AX*4), Y1, Y1
	VMOVUPS   Y1, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       dequantise8
	VZEROUPPER
	RET

// func addNormAVX2(x, y, gamma, beta *float32, n int, count, epsilon float32)
TEXT ·addNormAVX2(SB), NOSPLIT, $0-48
	MOVQ   x+0(FP), DI
	MOVQ   y+8(FP), SI
	MOVQ   gamma+16(FP), R8
	MOVQ   beta+24(FP), R9
	MOVQ   n+32(FP), CX
	VMOVSS count+40(FP), X15
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

sum8:
	VMOVUPS (DI)(AX*4), Y2
	VADDPS  (SI)(AX*4), Y2, Y2
	VMOVUPS Y2, (DI)(AX*4)
	VADDPS  Y2, Y0, Y0
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     sum8
	JOIN
	VDIVSS       X15, X0, X0
	VBROADCASTSS X0, Y3
	VXORPS       Y0, Y0, Y0
	XORQ         AX, AX

square8:
	VMOVUPS (DI)(AX*4), Y2
	VSUBPS  Y3, Y2, Y2
	VMOVUPS Y2, (DI)(AX*4)
	VMULPS  Y2, Y2, Y2
	VADDPS  Y2, Y0, Y0
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     square8
	JOIN
	VDIVSS       X15, X0, X0
	VADDSS       epsilon+44(FP), X0, X0
	VSQRTSS      X0, X0, X0
	MOVL         $0x3f800000, BX
	VMOVD        BX, X1
	VDIVSS       X0, X1, X0
	VBROADCASTSS X0, Y3
	XORQ         AX, AX

scale8:
	VMULPS  (DI)(AX*4), Y3, Y2
	VMULPS  (R8)(AX*4), Y2, Y2
	VADDPS  (R9)(AX*4), Y2, Y2
	VMOVUPS Y2, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     scale8
	VZEROUPPER
	RET

// func geluAVX2(x *float32, n int, table *[14]float32)
TEXT ·geluAVX2(SB), NOSPLIT, $0-24
	MOVQ         x+0(FP), DI
	MOVQ         n+8(FP), CX
	MOVQ         table+16(FP), SI
	VBROADCASTSS (SI), Y15
	VBROADCASTSS 4(SI), Y14
	VBROADCASTSS 8(SI), Y13
	VBROADCASTSS 12(SI), Y12
	VBROADCASTSS 16(SI), Y11
	VBROADCASTSS 20(SI), Y10
	VBROADCASTSS 24(SI), Y9
	VBROADCASTSS 28(SI), Y8
	VBROADCASTSS 32(SI), Y7
	VBROADCASTSS 36(SI), Y6
	VBROADCASTSS 40(SI), Y5
	LEAQ         (DI)(CX*4), CX

gelu8:
	VMAXPS       (DI), Y15, Y0 // clamped
	VMINPS       Y14, Y0, Y0
	VMULPS       Y0, Y0, Y1
	VMULPS       Y13, Y1, Y2   // P
	VADDPS       Y12, Y2, Y2
	VMULPS       Y1, Y2, Y2
	VADDPS       Y11, Y2, Y2
	VMULPS       Y1, Y2, Y2
	VADDPS       Y10, Y2, Y2
	VMULPS       Y1, Y2, Y2
	VADDPS       Y9, Y2, Y2
	VMULPS       Y8, Y1, Y3    // Q
	VADDPS       Y7, Y3, Y3
	VMULPS       Y1, Y3, Y3
	VADDPS       Y6, Y3, Y3
	VMULPS       Y1, Y3, Y3
	VADDPS       Y5, Y3, Y3
	VBROADCASTSS 44(SI), Y4
	VMULPS       Y1, Y3, Y3
	VADDPS       Y4, Y3, Y3
	VBROADCASTSS 48(SI), Y4    // 1
	VMULPS       Y1, Y3, Y3
	VADDPS       Y4, Y3, Y3
	VMULPS       Y2, Y0, Y2
	VDIVPS       Y3, Y2, Y2
	VADDPS       Y4, Y2, Y2
	VBROADCASTSS 52(SI), Y4    // ½
	VMULPS       (DI), Y4, Y3
	VMULPS       Y2, Y3, Y2
	VMOVUPS      Y2, (DI)
	ADDQ         $32, DI
	CMPQ         DI, CX
	JLT          gelu8
	VZEROUPPER
	RET

// func boundsAVX2(x, inverse *float32, n int) (lo, hi float32)
TEXT ·boundsAVX2(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   inverse+8(FP), DX
	MOVQ   n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	XORQ   AX, AX

bounds8:
	VMOVUPS (SI)(AX*4), Y2
	VMULPS  (DX)(AX*4), Y2, Y2
	VMINPS  Y2, Y0, Y0
	VMAXPS  Y2, Y1, Y1
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     bounds8

	VEXTRACTF128 $1, Y0, X2
	VMINPS       X2, X0, X0
	VMOVHLPS     X0, X0, X2
	VMINPS       X2, X0, X0
	VMOVSHDUP    X0, X2
	VMINSS       X2, X0, X0
	VMOVSS       X0, lo+24(FP)
	VEXTRACTF128 $1, Y1, X2
	VMAXPS       X2, X1, X1
	VMOVHLPS     X1, X1, X2
	VMAXPS       X2, X1, X1
	VMOVSHDUP    X1, X2
	VMAXSS       X2, X1, X1
	VMOVSS       X1, hi+28(FP)
	VZEROUPPER
	RET

// func toBytesAVX2(dst *uint8, x, inverse *float32, n int, mul float32, zero int32)
TEXT ·toBytesAVX2(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         inverse+16(FP), DX
	MOVQ         n+24(FP), CX
	VBROADCASTSS mul+32(FP), Y15
	MOVL         zero+36(FP), AX
	VMOVD        AX, X14
	VPBROADCASTD X14, Y14
	XORQ         AX, AX

toBytes8:
	VMOVUPS      (SI)(AX*4), Y0
	VMULPS       (DX)(AX*4), Y0, Y0
	VMULPS       Y15, Y0, Y0
	VCVTPS2DQ    Y0, Y0
	VPADDD       Y14, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSDW    X1, X0, X0
	VPACKUSWB    X0, X0, X0
	VMOVQ        X0, (DI)(AX*1)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          toBytes8
	VZEROUPPER
	RET

// func maxAbsAVX2(x *float32, n int) float32
TEXT ·maxAbsAVX2(SB), NOSPLIT, $0-20
	MOVQ     x+0(FP), SI
	MOVQ     n+8(FP), CX
	VPCMPEQD Y15, Y15, Y15
	VPSRLD   $1, Y15, Y15
	VXORPS   Y0, Y0, Y0
	XORQ     AX, AX

maxAbs8:
	VANDPS (SI)(AX*4), Y15, Y1
	VMAXPS Y1, Y0, Y0
	ADDQ   $8, AX
	CMPQ   AX, CX
	JLT    maxAbs8

	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VMOVHLPS     X0, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VMAXSS       X1, X0, X0
	VMOVSS       X0, ret+16(FP)
	VZEROUPPER
	RET

// func toWordsAVX2(dst *int16, x *float32, n int, mul float32)
TEXT ·toWordsAVX2(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS mul+24(FP), Y15
	XORQ         AX, AX

toWords8:
	VMULPS       (SI)(AX*4), Y15, Y0
	VCVTPS2DQ    Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSDW    X1, X0, X0
	VMOVDQU      X0, (DI)(AX*2)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          toWords8
	VZEROUPPER
	RET

// func expAVX2(exps *float32, scores *int32, n int, scale float32, table *[10]float32) float32
TEXT ·expAVX2(SB), NOSPLIT, $0-44
	MOVQ exps+0(FP), DI
	MOVQ scores+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ table+32(FP), DX

	// the greatest score, in all lanes of Y15
	VMOVDQU (SI), Y0
	MOVQ    $8, AX
	JMP     greatestNext

greatest8:
	VPMAXSD (SI)(AX*4), Y0, Y0
	ADDQ    $8, AX

greatestNext:
	CMPQ         AX, CX
	JLT          greatest8
	VEXTRACTI128 $1, Y0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPMAXSD      X1, X0, X0
	VPBROADCASTD X0, Y15
	VCVTDQ2PS    Y15, Y15

	VBROADCASTSS scale+24(FP), Y14
	VBROADCASTSS (DX), Y13   // expLeast
	VBROADCASTSS 4(DX), Y12  // log2e
	VBROADCASTSS 8(DX), Y11  // rounder
	VBROADCASTSS 12(DX), Y10 // ln2High
	VBROADCASTSS 16(DX), Y9  // ln2Low
	VBROADCASTSS 20(DX), Y8
	VBROADCASTSS 24(DX), Y7
	VBROADCASTSS 28(DX), Y6
	VBROADCASTSS 32(DX), Y5
	VBROADCASTSS 36(DX), Y4  // 1
	VXORPS       Y0, Y0, Y0
	XORQ         AX, AX

exp8:
	VCVTDQ2PS (SI)(AX*4), Y1
	VSUBPS    Y15, Y1, Y1
	VMULPS    Y14, Y1, Y1
	VMAXPS    Y13, Y1, Y1
	VMULPS    Y12, Y1, Y2
	VADDPS    Y11, Y2, Y2
	VSUBPS    Y11, Y2, Y2 // n
	VMULPS    Y10, Y2, Y3
	VSUBPS    Y3, Y1, Y1
	VMULPS    Y9, Y2, Y3
	VSUBPS    Y3, Y1, Y1  // r
	VMULPS    Y8, Y1, Y3
	VADDPS    Y7, Y3, Y3
	VMULPS    Y1, Y3, Y3
	VADDPS    Y6, Y3, Y3
	VMULPS    Y1, Y3, Y3
	VADDPS    Y5, Y3, Y3
	VMULPS    Y1, Y3, Y3
	VADDPS    Y4, Y3, Y3
	VMULPS    Y1, Y3, Y3
	VADDPS    Y4, Y3, Y3
	VCVTPS2DQ Y2, Y2
	VPSLLD    $23, Y2, Y2
	VPADDD    Y4, Y2, Y2  // the bits of 2ⁿ are those of 1 plus n in the exponent
	VMULPS    Y2, Y3, Y3
	VMOVUPS   Y3, (DI)(AX*4)
	VADDPS    Y3, Y0, Y0
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       exp8
	JOIN
	VMOVSS    X0, ret+40(FP)
	VZEROUPPER
	RET
