package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/tiktoken-go/tokenizer/codec"
)

// published is the SHA-256 of o200k_base.tiktoken, as OpenAI's tiktoken checks
// it: the ranks we pack are those, whatever library they came from.
const published = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

// vocabulary is the ordinary tokens by rank, and the ranks by token.
type vocabulary struct {
	tokens []string
	rank   map[string]uint
}

func newVocabulary() (*vocabulary, error) {
	source := codec.NewO200kBase()
	v := &vocabulary{rank: make(map[string]uint)}
	for {
		id := uint(len(v.tokens))
		token, err := source.Decode([]uint{id})
		if err != nil {
			break // the first rank without a token
		}
		v.tokens = append(v.tokens, token)
		v.rank[token] = id
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(v.lines())); sum != published {
		return nil, fmt.Errorf("the ranks have the checksum %s, not the published %s", sum, published)
	}
	return v, nil
}

// lines returns the ranks in the format of o200k_base.tiktoken.
func (v *vocabulary) lines() []byte {
	var lines bytes.Buffer
	for rank, token := range v.tokens {
		fmt.Fprintf(&lines, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), rank)
	}
	return lines.Bytes()
}

// pack writes the format that token/vocab.go describes.
func (v *vocabulary) pack() ([]byte, error) {
	packed, err := appendClasses(nil)
	if err != nil {
		return nil, err
	}
	for id, token := range v.tokens {
		if id < 256 {
			if len(token) != 1 {
				return nil, fmt.Errorf("token %d, %q, is not a single byte", id, token)
			}
			packed = append(packed, token...)
			continue
		}
		halves := v.halves(uint(id))
		if halves == nil {
			return nil, fmt.Errorf("token %d, %q, is not made of two earlier ones", id, token)
		}
		packed = append(packed, halves...)
	}
	return packed, nil
}

// halves returns two earlier tokens that together are token id, as uvarints.
// Many tokens can be halved in several ways; the one that packs best is taken.
func (v *vocabulary) halves(id uint) []byte {
	var shortest []byte
	token := v.tokens[id]
	for i := 1; i < len(token); i++ {
		left, okLeft := v.rank[token[:i]]
		right, okRight := v.rank[token[i:]]
		if !okLeft || !okRight || left >= id || right >= id {
			continue
		}
		halves := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(left)), uint64(right))
		if shortest == nil || len(halves) < len(shortest) {
			shortest = halves
		}
	}
	return shortest
}
