package minilm

import (
	"bytes"
	"strings"
	"testing"
)

// chunkText has 100 words, about 130 pieces.
func chunkText(t testing.TB) string {
	words := strings.Fields(strings.Join(passages(t)[60:], " "))
	return strings.Join(words[:100], " ")
}

// BenchmarkChunks embeds chunks of 100 words on all cores.
func BenchmarkChunks(b *testing.B) {
	text := chunkText(b)
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			n := 32
			if k.name == "portable" {
				n = 2
			}
			texts := make([]string, n)
			for i := range texts {
				texts[i] = text
			}
			m := newModel(builtinWeights, k, 0)
			mustEmbed(b, m, texts[:1])
			for b.Loop() {
				mustEmbed(b, m, texts)
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "chunks/s")
		})
	}
}

// BenchmarkQuery embeds one question of ten words.
func BenchmarkQuery(b *testing.B) {
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			m := newModel(builtinWeights, k, 0)
			query := []string{"Where was the director of the film Winter Lines born?"}
			mustEmbed(b, m, query)
			for b.Loop() {
				mustEmbed(b, m, query)
			}
		})
	}
}

// BenchmarkLoad unpacks the weights.
func BenchmarkLoad(b *testing.B) {
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := newEncoder(builtinWeights, k); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkProduct is the matrix product alone: 126 tokens by 1536 × 384 weights.
func BenchmarkProduct(b *testing.B) {
	const rows = 126
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			m := k.newMatrix(bytes.Repeat([]byte{7}, hiddenDim*Dim), hiddenDim, Dim)
			var r room
			r.fit(rows)
			for b.Loop() {
				m.multiply(r.acc, r.input.bytes, rows, &r)
			}
			b.ReportMetric(float64(rows*hiddenDim*Dim*b.N)/b.Elapsed().Seconds()/1e9, "Gmul/s")
		})
	}
}
