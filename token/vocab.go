package token

import (
	_ "embed"
	"math/bits"
	"sync"
	"unicode/utf8"
)

// packed is the vocabulary as tools/o200k writes it:
//
//   - the splitter's class of every code point, as runs (uvarint length, class)
//     from 0 to U+10FFFF. They are frozen here, at the Unicode version of the
//     reference tokenizer, so that a newer Go does not change counts.
//   - the bytes of tokens 0 to 255, which are single bytes.
//   - for each further token two uvarints, the earlier tokens it is made of.
//
//go:generate go -C ../tools run ./o200k -to ../token
//go:embed o200k.bin
var packed string

var vocabulary = sync.OnceValue(func() *vocab { return unpack(packed) })

const (
	ordinaryTokens = int(firstSpecial)
	ordinaryBytes  = 1397670 // of all ordinary tokens together
	longestToken   = 128     // bytes

	idBits   = 18
	tagBits  = 32 - idBits
	slotBits = 19
)

// vocab is the unpacked vocabulary: read-only, so shared by all goroutines.
//
// The way from bytes to token is a hash table with linear probing. A slot is
// four bytes, the token and a tag from its hash, and the bytes are compared only
// where the tag agrees. Slots of twelve bytes that hold short tokens whole were
// measured to be no faster: fewer accesses, but to a table that fits no cache.
type vocab struct {
	text  string                 // of all ordinary tokens in the order of their ids, and eight bytes for load
	start []uint32               // text[start[id]:start[id+1]] is token id
	slots *[1 << slotBits]uint32 // tag<<idBits | id+1; 0 is empty
	twos  *[1 << 16]uint32       // the tokens of two bytes, where merging begins, or noToken
	class *classes
}

func unpack(packed string) *vocab {
	v := &vocab{
		start: make([]uint32, 1, ordinaryTokens+1),
		slots: new([1 << slotBits]uint32),
		twos:  new([1 << 16]uint32),
		class: new(classes),
	}
	for i := range v.twos {
		v.twos[i] = noToken
	}
	pos := 0
	uvarint := func() int {
		n := 0
		for shift := 0; ; shift += 7 {
			b := packed[pos]
			pos++
			n |= int(b&0x7f) << shift
			if b < 0x80 {
				return n
			}
		}
	}

	for r := 0; r <= utf8.MaxRune; {
		run := v.class[r : r+uvarint()]
		c := class(packed[pos])
		pos++
		r += len(run)
		if c == symbol {
			continue // the zero class: most of the code space, whose pages stay untouched
		}
		for i := range run {
			run[i] = c
		}
	}

	text := make([]byte, 0, ordinaryBytes+8)
	for range 256 {
		text = append(text, packed[pos])
		v.start = append(v.start, uint32(len(text)))
		pos++
	}
	for pos < len(packed) {
		left, right := uvarint(), uvarint()
		text = append(text, text[v.start[left]:v.start[left+1]]...)
		text = append(text, text[v.start[right]:v.start[right+1]]...)
		v.start = append(v.start, uint32(len(text)))
	}
	v.text = string(text[:ordinaryBytes+8])

	for id := range ordinaryTokens {
		token := v.textOf(ID(id))
		if len(token) == 2 {
			v.twos[int(token[0])<<8|int(token[1])] = uint32(id)
		}
		i, tag := position(fold(token), len(token))
		for v.slots[i] != 0 {
			i = (i + 1) % (1 << slotBits)
		}
		v.slots[i] = tag<<idBits | uint32(id+1)
	}
	return v
}

// textOf returns the bytes of an ordinary token.
func (v *vocab) textOf(id ID) string { return v.text[v.start[id]:v.start[id+1]] }

// lookup returns the token whose bytes are s[from:to].
func (v *vocab) lookup(s string, from, to int) (ID, bool) {
	n := to - from
	if n > longestToken {
		return 0, false
	}
	// Most are short, and loading eight bytes to mask them beats loading fewer.
	short := n <= 8 && from+8 <= len(s)
	var key, mask uint64
	if short {
		mask = 1<<(8*n) - 1
		key = load(s, from) & mask
	} else {
		key = fold(s[from:to])
	}
	for i, tag := position(key, n); ; i = (i + 1) % (1 << slotBits) {
		slot := v.slots[i]
		if slot == 0 {
			return 0, false
		}
		if slot>>idBits != tag {
			continue
		}
		id := slot%(1<<idBits) - 1
		start := int(v.start[id])
		if int(v.start[id+1])-start != n {
			continue
		}
		if short && load(v.text, start)&mask == key || !short && v.text[start:start+n] == s[from:to] {
			return ID(id), true
		}
	}
}

// phi is 2^64 divided by the golden ratio; multiplying by it is the hash
// function (Knuth, volume 3, section 6.4).
const phi = 0x9e3779b97f4a7c15

// position returns the slot where a key is looked for first, and its tag, from
// the high bits of the hash: those depend on all bits of the key.
func position(key uint64, n int) (slot, tag uint32) {
	h := (key + uint64(n)) * phi
	return uint32(h >> (64 - slotBits)), uint32(h >> (64 - slotBits - tagBits) % (1 << tagBits))
}

// fold returns s as a number, its first byte lowest, if that fits in eight
// bytes, and a hash of it if not.
func fold(s string) (key uint64) {
	if len(s) <= 8 {
		for i := range len(s) {
			key |= uint64(s[i]) << (8 * i)
		}
		return key
	}
	for i := 0; i+8 < len(s); i += 8 {
		key = bits.RotateLeft64((key^load(s, i))*phi, 29)
	}
	return key ^ load(s, len(s)-8)
}

// load returns s[i:i+8] as a number.
func load(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
