package main

import "github.com/dlclark/regexp2/v2"

// pattern is the pattern of o200k for regexp2's interpreter. The group around it
// matters: tiktoken-go registers a compiled matcher for the bare pattern, and
// in v0.10.0 that one cuts "\n  \n" in two and drops U+007F, where OpenAI's
// tokenizer and this interpreter do neither. So tiktoken-go is our source for
// ranks, but not for encodings.
var pattern = regexp2.MustCompile("(?:"+
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
	`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
	`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`+")", regexp2.None)

// encode encodes text in the plainest way: the pattern itself, and in each
// piece the best pair merged until there is none. A byte that is not UTF-8 is
// cut as U+FFFD is and encoded as the byte.
func (v *vocabulary) encode(text string) []uint {
	ids := []uint{}
	for _, piece := range pieces(text) {
		if id, ok := v.rank[piece]; ok {
			ids = append(ids, id)
			continue
		}
		var parts []string
		for i := range len(piece) {
			parts = append(parts, piece[i:i+1])
		}
		for {
			best, at := uint(len(v.tokens)), -1
			for i := range len(parts) - 1 {
				if r, ok := v.rank[parts[i]+parts[i+1]]; ok && r < best {
					best, at = r, i
				}
			}
			if at < 0 {
				break
			}
			parts[at] += parts[at+1]
			parts = append(parts[:at+1], parts[at+2:]...)
		}
		for _, part := range parts {
			ids = append(ids, v.rank[part])
		}
	}
	return ids
}

func pieces(text string) []string {
	// A match is counted in code points, a bad byte being one.
	var start []int
	for i := range text {
		start = append(start, i)
	}
	start = append(start, len(text))

	var found []string
	match, err := pattern.FindStringMatch(text)
	for match != nil && err == nil {
		from := match.RuneIndex
		found = append(found, text[start[from]:start[from+match.RuneLength]])
		match, err = pattern.FindNextMatch(match)
	}
	if err != nil {
		panic(err) // the only error is a timeout, and none is set
	}
	return found
}
