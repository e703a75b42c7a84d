// Package token counts, encodes and decodes text exactly as the model does:
// o200k_harmony, byte-pair encoding over 199,998 ordinary tokens, with
// harmony's special tokens beside it.
//
// The context budget is an invariant of Winnow, and an estimate cannot keep
// one; so every chunk stored and every view rendered is counted here, and the
// count has to be cheap enough that nobody is tempted to guess. Three things
// make it so. The vocabulary is embedded as a derivation (each token is two
// earlier ones put together) and unpacked on first use, so that a process which
// counts nothing pays nothing. The pattern that cuts text into pieces is
// written by hand instead of being given to a regular-expression engine. And a
// piece that is itself a token, which most are, costs one probe of a flat hash
// table. The price is 6 MB of memory from the first use on, 10 to 15 ms to
// unpack them, and a splitter that only tests hold to the pattern: golden files
// here, random text against the pattern itself in the tools module.
//
// Text is only ever ordinary text: "<|start|>" in a document is encoded as the
// nine characters it is, never as the token [Start]. Special tokens enter a
// prompt by their ids alone.
//
// Bytes that are not UTF-8 are kept: each counts as a symbol when text is cut
// into pieces and is encoded as the byte it is, so that decoding an encoding
// gives back every string, valid or not.
package token

// ID is a token of the o200k_harmony vocabulary.
type ID uint32

// Count returns the number of tokens in text.
func Count(text string) int {
	v := vocabulary()
	n := 0
	for i := 0; i < len(text); {
		end := v.pieceEnd(text, i)
		if _, ok := v.lookup(text, i, end); ok {
			n++
		} else {
			n += v.countMerged(text, i, end)
		}
		i = end
	}
	return n
}

// Append appends the tokens of text to ids. A prompt is built by appending
// special tokens by name and text through this function; each call starts
// afresh, so text handed over in two calls is encoded as two texts.
func Append(ids []ID, text string) []ID {
	v := vocabulary()
	for i := 0; i < len(text); {
		ids, i = v.appendPiece(ids, text, i)
	}
	return ids
}

// Decode returns the text of ids, special tokens as they are written
// ("<|start|>") and an id outside the vocabulary as U+FFFD. The text of a single
// token may end inside a UTF-8 sequence: decode what belongs together in one call.
func Decode(ids []ID) string {
	v := vocabulary()
	var text []byte
	for _, id := range ids {
		if id.Special() {
			text = append(text, id.specialText()...)
		} else {
			text = append(text, v.textOf(id)...)
		}
	}
	return string(text)
}
