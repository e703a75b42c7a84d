package boost

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/winnow-search/winnow"
)

// A model file is: magic; version; the number of features, and each feature's
// name and gain; the number of trees, and each tree's nodes in preorder, a leaf
// as 0 and its value, a test as its feature + 1 and its threshold; a CRC-32 of all
// before. Numbers are uvarints, values little-endian float32, names preceded by
// their length.
const (
	magic   = "winnow boost\n"
	version = 1
)

// Encode returns the model as a file: about five bytes per node.
func (m *Model) Encode() []byte {
	out := binary.AppendUvarint([]byte(magic), version)
	out = binary.AppendUvarint(out, uint64(len(m.features)))
	for i, name := range m.features {
		out = binary.AppendUvarint(out, uint64(len(name)))
		out = append(out, name...)
		out = appendFloat(out, m.gains[i])
	}
	out = binary.AppendUvarint(out, uint64(len(m.trees)))
	for _, tree := range m.trees {
		for _, n := range tree {
			out = binary.AppendUvarint(out, uint64(n.feature-leafMark))
			out = appendFloat(out, n.value)
		}
	}
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

func appendFloat(out []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
}

// Decode reads a model that Encode has written. It refuses one that was trained
// on other features than the caller computes, or on the same in another order: it
// would rank, and rank wrongly. With nil features it takes any model.
func Decode(data []byte, features []string) (*Model, error) {
	r := reader{rest: data}
	if string(r.bytes(len(magic))) != magic {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: "this is not a ranking model", Hint: "a file that winnow wrote"}
	}
	if v := r.uvarint(); v != version {
		return nil, &winnow.Error{Code: winnow.TooNew, Message: fmt.Sprintf("the ranking model has format %d, and this version reads %d", v, version), Hint: "a newer winnow, or training the model again"}
	}
	body := len(data) - crc32.Size
	if body < len(data)-len(r.rest) || crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return nil, damaged("its checksum does not fit")
	}
	r.rest = r.rest[:len(r.rest)-crc32.Size]
	m, err := r.model()
	if err != nil {
		return nil, err
	}
	if features != nil {
		if err := m.fits(features); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func damaged(how string) error {
	return &winnow.Error{Code: winnow.Corrupt, Message: "the ranking model is damaged: " + how, Hint: "training the model again"}
}

// fits names the first feature that differs, which tells what was changed.
func (m *Model) fits(features []string) error {
	if slices.Equal(m.features, features) {
		return nil
	}
	name := func(list []string, i int) string {
		if i < len(list) {
			return fmt.Sprintf("%q", list[i])
		}
		return "nothing"
	}
	i := 0
	for i < min(len(features), len(m.features)) && features[i] == m.features[i] {
		i++
	}
	return &winnow.Error{
		Code: winnow.BadInput,
		Message: fmt.Sprintf("the ranking model was trained on other features: feature %d is %s in the model and %s here",
			i+1, name(m.features, i), name(features, i)),
		Hint: "training the model again",
	}
}

// reader takes a model apart. Past the end it reads zeros and remembers it.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.short = nil, true
		return nil
	}
	head := r.rest[:n]
	r.rest = r.rest[n:]
	return head
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.rest, r.short = nil, true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads a number of things that take at least least bytes each, so that a
// damaged one can't ask for more memory than the file could fill.
func (r *reader) count(least int) int {
	n := r.uvarint()
	if n > uint64(len(r.rest)/least) {
		r.rest, r.short = nil, true
		return 0
	}
	return int(n)
}

func (r *reader) float() float32 {
	b := r.bytes(4)
	if b == nil {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

func (r *reader) model() (*Model, error) {
	n := r.count(1 + 4)
	features, gains := make([]string, n), make([]float32, n)
	for i := range features {
		features[i] = string(r.bytes(r.count(1)))
		gains[i] = r.float()
		if !(gains[i] >= 0 && gains[i] <= 1) {
			return nil, damaged("a gain is no share")
		}
	}
	trees := make([][]node, r.count(1+4))
	for i := range trees {
		tree, err := r.tree(n)
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	if r.short {
		return nil, damaged("it ends too early")
	}
	if len(r.rest) > 0 {
		return nil, damaged("something follows its last tree")
	}
	return newModel(features, gains, trees), nil
}

func (r *reader) tree(features int) ([]node, error) {
	var nodes []node
	leaves := 0
	for open := 1; open > 0; { // subtrees still to be read
		feature, value := r.uvarint(), r.float()
		finite := !math.IsInf(float64(value), 0)
		switch {
		case r.short:
			return nil, damaged("it ends inside a tree")
		case value != value:
			return nil, damaged("a value is not a number")
		case feature > uint64(features):
			return nil, damaged("a tree asks for a feature that is not listed")
		case feature == 0 && !finite:
			return nil, damaged("a leaf is not finite")
		case feature == 0:
			leaves++
			open--
		default:
			open++
		}
		if leaves+open > maxLeaves {
			return nil, damaged("a tree has too many leaves")
		}
		nodes = append(nodes, node{int32(feature) + leafMark, value})
	}
	return nodes, nil
}
