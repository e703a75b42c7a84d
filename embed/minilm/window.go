package minilm

import "github.com/winnow-search/winnow/embed/wordpiece"

// MaxWindows bounds the vectors of one text: about 4,000 pieces, 3,000 words of
// English. Chunks are far shorter; a text that is not should be chunked.
const MaxWindows = 16

// span is what a window holds of the text, beside its start and end.
const span = maxTokens - 2

// cut returns the windows of a text, each with its start and end. The windows
// are of about equal length, since a short rest would have a vector of its own
// that means little, and are cut between words where there is room to.
func cut(t *wordpiece.Tokenizer, text string) [][]int32 {
	ids := t.Encode(nil, text, MaxWindows*span)
	var windows [][]int32
	for left := (len(ids) + span - 1) / span; left > 0; left-- {
		end := (len(ids) + left - 1) / left
		for back := end; back > 0 && len(ids)-back <= (left-1)*span; back-- {
			if back == len(ids) || !t.Continues(ids[back]) {
				end = back
				break
			}
		}
		w := append(make([]int32, 0, end+2), wordpiece.Start)
		windows = append(windows, append(append(w, ids[:end]...), wordpiece.End))
		ids = ids[end:]
	}
	return windows
}
