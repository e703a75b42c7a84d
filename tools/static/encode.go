package main

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
)

// magic opens the table; its last byte is the format's version.
const magic = "WINNOWS\x01"

// clipped is the share of the table's values that may fall outside the bytes.
const clipped = 1e-4

// encode writes the file that embed/static reads: the magic, the CRC-32C of the
// rest, and the rows in bytes, 128 standing for zero. One scale serves the whole
// table, which costs nothing measurable and makes sums of rows sums of integers;
// and as vectors are brought to unit length, nobody needs to know it.
func encode(table [][]float32) []byte {
	var magnitudes []float64
	for _, row := range table {
		for _, v := range row {
			magnitudes = append(magnitudes, math.Abs(float64(v)))
		}
	}
	slices.Sort(magnitudes)
	limit := magnitudes[int(float64(len(magnitudes))*(1-clipped))]
	var body []byte
	for _, row := range table {
		for _, v := range row {
			q := math.RoundToEven(float64(v) * 127 / limit)
			body = append(body, byte(128+max(-127, min(127, q))))
		}
	}
	file := binary.LittleEndian.AppendUint32([]byte(magic), crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return append(file, body...)
}
