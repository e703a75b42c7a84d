package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
)

// numbers is a vector as JSON has it. A null among them would silently become 0:
// servers send it for NaN.
type numbers []float64

func (n *numbers) UnmarshalJSON(data []byte) error {
	if bytes.Contains(data, []byte("null")) {
		return errors.New("a vector holds null")
	}
	return json.Unmarshal(data, (*[]float64)(n))
}

// parse returns the n vectors of a reply in the order of the request, at unit
// length.
func parse(body []byte, n int) ([]winnow.Vector, error) {
	var reply struct {
		Data []struct {
			Index     *int
			Embedding numbers
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
			return nil, errors.New("it is HTML")
		}
		return nil, fmt.Errorf("it is not the JSON of embeddings: %w", err)
	}
	if len(reply.Data) != n {
		return nil, fmt.Errorf("it has %d vectors for %d texts", len(reply.Data), n)
	}
	vectors := make([]winnow.Vector, n)
	for i, d := range reply.Data {
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= n || vectors[i] != nil {
			return nil, fmt.Errorf("it has a second or an impossible vector %d", i)
		}
		v, err := unit(d.Embedding)
		if err != nil {
			return nil, err
		}
		vectors[i] = v
	}
	return vectors, nil
}

// unit brings a vector to unit length.
func unit(x []float64) (winnow.Vector, error) {
	var square float64
	for _, f := range x {
		square += f * f
	}
	if !(square > 0) || math.IsInf(square, 0) {
		return nil, errors.New("a vector is empty, zero or not finite")
	}
	v := make(winnow.Vector, len(x))
	for i, f := range x {
		v[i] = float32(f / math.Sqrt(square))
	}
	return v, nil
}
