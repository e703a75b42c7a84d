package main

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// magic opens the weights file; its last byte is the format's version.
const magic = "WINNOWM\x01"

// quantise writes the weights file that embed/minilm reads: the magic, the
// CRC-32C of all that follows, then the tensors in the order of their use,
// little-endian, without padding. A matrix is its input scales (float32, one per
// column), output scales and biases (float32, one per row) and its rows in int8.
func quantise(m *model, all *inputs) []byte {
	body := appendRows(nil, m.words, dim)
	body = appendFloats(body, m.positions)
	body = appendNorm(body, m.first)
	for i := range m.layers {
		l, seen := &m.layers[i], &all[i]
		body = appendMatrix(body, l.qkv, &seen.qkv)
		body = appendMatrix(body, l.proj, &seen.proj)
		body = appendNorm(body, l.afterProj)
		body = appendMatrix(body, l.up, &seen.up)
		body = appendMatrix(body, l.down, &seen.down)
		body = appendNorm(body, l.afterDown)
	}
	file := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(file[len(magic):], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return append(file, body...)
}

// appendMatrix moves part of each input channel's range into the weights
// (SmoothQuant, Xiao et al. 2022, with α = ½), so that one scale per token serves
// all channels; the encoder divides the activations by the same factor, here
// stored as its inverse. What rounding the weights does to the mean input is
// added to the bias: averaging over tokens can't remove it.
func appendMatrix(dst []byte, m matrix, seen *channels) []byte {
	factor := make([]float64, m.in)
	var meanLog float64
	for c := range factor {
		largest := 1e-5
		for o := range m.out {
			largest = max(largest, math.Abs(float64(m.weight[o*m.in+c])))
		}
		factor[c] = math.Sqrt(max(float64(seen.largest[c]), 1e-5) / largest)
		meanLog += math.Log(factor[c]) / float64(m.in)
	}
	smooth := make([]float32, len(m.weight))
	inverse := make([]float32, m.in)
	for c, f := range factor {
		f /= math.Exp(meanLog)
		inverse[c] = float32(1 / f)
		for o := range m.out {
			smooth[o*m.in+c] = float32(float64(m.weight[o*m.in+c]) * f)
		}
	}
	dst = appendFloats(dst, inverse)
	scales, rows := symmetric(smooth, m.in)
	bias := make([]float32, m.out)
	for o := range bias {
		var lost float64
		for c := range m.in {
			i := o*m.in + c
			error := smooth[i] - float32(int8(rows[i]))*scales[o]
			lost += float64(error*inverse[c]) * seen.sum[c] / float64(seen.rows)
		}
		bias[o] = m.bias[o] + float32(lost)
	}
	dst = appendFloats(dst, scales)
	dst = appendFloats(dst, bias)
	return append(dst, rows...)
}

func appendRows(dst []byte, values []float32, width int) []byte {
	scales, rows := symmetric(values, width)
	return append(appendFloats(dst, scales), rows...)
}

// symmetric rounds each row to int8 with a scale of its own, so that its largest
// magnitude is 127.
func symmetric(values []float32, width int) (scales []float32, rows []byte) {
	for ; len(values) > 0; values = values[width:] {
		var largest float32
		for _, v := range values[:width] {
			largest = max(largest, v, -v)
		}
		scale := largest / 127
		if scale == 0 {
			scale = 1
		}
		scales = append(scales, scale)
		for _, v := range values[:width] {
			rows = append(rows, byte(int8(math.RoundToEven(float64(v/scale)))))
		}
	}
	return scales, rows
}

func appendNorm(dst []byte, n norm) []byte {
	return appendFloats(appendFloats(dst, n.gamma), n.beta)
}

func appendFloats(dst []byte, values []float32) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}
