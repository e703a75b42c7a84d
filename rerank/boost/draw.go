package boost

import (
	"cmp"
	"hash/fnv"
	"slices"
)

// Chance is a hash of what is drawn for, and not a generator that is asked in
// turn: so it depends neither on the order of the groups nor on how many there
// are, and a question that is added does not deal the others anew.

// lot mixes numbers into 64 bits that look random (the finaliser of SplitMix64,
// Steele and others 2014, after each).
func lot(numbers ...uint64) uint64 {
	z := uint64(0)
	for _, n := range numbers {
		z = (z ^ n) + 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
	}
	return z
}

// chance turns a lot into a number from 0 to 1, below 1.
func chance(lot uint64) float64 { return float64(lot>>11) / (1 << 53) }

// key is the number that stands for an ID.
func key(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}

// drawFeatures picks k of n features, rising.
func drawFeatures(n, k int, seed, round uint64) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	slices.SortFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(lot(seed, round, uint64(a)), lot(seed, round, uint64(b))), a-b)
	})
	slices.Sort(all[:k])
	return all[:k]
}
