package minilm

import "math"

// attentionRoom is the memory of attention over one sequence.
type attentionRoom struct {
	queries []int16 // a row of Dim per token
	line    []int16 // one row on its way into keys or values
	keys    []int16 // per head, in panels of tokens: columns are dimensions
	values  []int16 // per head, in panels of dimensions: columns are tokens
	scores  []int32 // one head: a row of keys per query
	exps    []float32
	weights []int16 // one head: scores after softmax
	mixed   []int32 // one head: weighted sums of values
}

// keyStep is what the number of keys is padded to: the widest panel.
const keyStep = 32

func newAttentionRoom() attentionRoom {
	const rows = (maxTokens + tileRows - 1) / tileRows * tileRows
	return attentionRoom{
		queries: make([]int16, rows*Dim),
		line:    make([]int16, Dim),
		keys:    make([]int16, maxTokens*Dim),
		values:  make([]int16, maxTokens*Dim),
		scores:  make([]int32, rows*maxTokens),
		exps:    make([]float32, maxTokens),
		weights: make([]int16, rows*maxTokens),
		mixed:   make([]int32, rows*headDim),
	}
}

// headUnits and headZeros make dequantise a plain scaling.
var (
	headUnits = func() (u [headDim]float32) {
		for i := range u {
			u[i] = 1
		}
		return u
	}()
	headZeros  [headDim]float32
	headNoSums [headDim]int32
)

// attend mixes, for one sequence of n tokens and each head, the values by how
// well their keys answer the queries. Queries, keys and values are rounded to
// words with a scale each for the whole sequence, so that a sequence's vector
// does not depend on what it is packed with.
func (e *encoder) attend(qkv, mixed []float32, n int, r *attentionRoom) {
	k := e.kernel
	var largest [3]float32
	for t := range n {
		for i := range largest {
			largest[i] = max(largest[i], k.maxAbs(qkv[(3*t+i)*Dim:(3*t+i+1)*Dim]))
		}
	}
	queryScale, queryMul := wordScale(largest[0], wordLimit)
	keyScale, keyMul := wordScale(largest[1], wordLimit)
	valueScale, valueMul := wordScale(largest[2], one)

	rows, keys := roundUp(n, tileRows), roundUp(n, keyStep)
	clear(r.values[:keys*Dim])
	for t := range n {
		row := qkv[3*t*Dim : 3*(t+1)*Dim]
		k.toWords(r.queries[t*Dim:(t+1)*Dim], row[:Dim], queryMul)
		k.toWords(r.line, row[Dim:2*Dim], keyMul)
		r.storeKey(t, keys, k.panel)
		k.toWords(r.line, row[2*Dim:], valueMul)
		r.storeValue(t, keys, k.panel)
	}
	for h := range heads {
		k.multiply(r.scores, r.queries[h*headDim:], Dim, r.keys[h*keys*headDim:(h+1)*keys*headDim], rows, keys, headDim)
		for t := range n {
			scores := r.scores[t*keys : (t+1)*keys]
			for i := n; i < keys; i++ {
				scores[i] = math.MinInt32 // weight 0
			}
			k.softmax(r.weights[t*keys:(t+1)*keys], r.exps, scores, queryScale*keyScale*inverseRoot)
		}
		k.multiply(r.mixed, r.weights, keys, r.values[h*keys*headDim:(h+1)*keys*headDim], rows, headDim, keys)
		for t := range n {
			k.dequantise(mixed[t*Dim+h*headDim:t*Dim+(h+1)*headDim], r.mixed[t*headDim:(t+1)*headDim],
				headNoSums[:], headUnits[:], headZeros[:], 0, valueScale/one)
		}
	}
}

// inverseRoot is 1/√headDim, attention's temperature.
const inverseRoot = 0.17677669529663687

// wordScale returns the step between words, and its inverse, for values up to
// largest.
func wordScale(largest, limit float32) (scale, mul float32) {
	if largest == 0 {
		return 0, 0
	}
	return largest / limit, limit / largest
}

// storeKey puts a token's line where [panels] would have it: a row per head.
func (r *attentionRoom) storeKey(t, keys, panel int) {
	for h := range heads {
		dst := r.keys[h*keys*headDim+t/panel*panel*headDim+t%panel*2:]
		src := r.line[h*headDim : (h+1)*headDim]
		for i := 0; i < headDim; i += 2 {
			pair := dst[i*panel : i*panel+2]
			pair[0], pair[1] = src[i], src[i+1]
		}
	}
}

// storeValue puts a token's line as a column per head.
func (r *attentionRoom) storeValue(t, keys, panel int) {
	for h := range heads {
		src := r.line[h*headDim : (h+1)*headDim]
		for d := 0; d < headDim; d += panel {
			dst := r.values[h*keys*headDim+d*keys+t/2*2*panel+t%2:]
			for i, v := range src[d : d+panel] {
				dst[2*i] = v
			}
		}
	}
}
