package token

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryTokenIsFoundByItsBytes(t *testing.T) {
	v := vocabulary()
	if len(v.start) != ordinaryTokens+1 || int(v.start[ordinaryTokens]) != ordinaryBytes {
		t.Fatalf("%d tokens of %d bytes", len(v.start)-1, v.start[len(v.start)-1])
	}
	for id := range ID(ordinaryTokens) {
		text := v.textOf(id)
		if got, ok := v.lookup(text, 0, len(text)); !ok || got != id {
			t.Fatalf("token %d, %q, is looked up as %d, %v", id, text, got, ok)
		}
		if len(text) > longestToken {
			t.Fatalf("token %d has %d bytes", id, len(text))
		}
	}
}

// The golden file lacks code points that are newer than the Unicode tables of
// the Go that wrote it. Where they are letters, marks or numbers, "'s" behind
// them stays together; a symbol takes the apostrophe to itself.
func TestUnicode16IsKnown(t *testing.T) {
	const apostropheS ID = 885
	for r, known := range map[rune]bool{
		0x0897: true, 0x1c89: true, 0x1c8a: true, 0x105c0: true, 0x10d40: true, 0x13460: true, 0x16d70: true, 0x2ebf0: true,
		0x0378: false, 0x1ccd0: false, 0x2fffe: false, '!': false,
	} {
		ids := Append(nil, string(r)+"'s")
		if got := ids[len(ids)-1] == apostropheS; got != known {
			t.Errorf("%U followed by 's: %v", r, ids)
		}
	}
}

// Merging by a scan and by a heap are two ways to the same parts.
func TestLongPiecesMergeLikeShortOnes(t *testing.T) {
	v := vocabulary()
	texts, _ := golden(t)
	for _, text := range texts {
		for i := 0; i < len(text); {
			end := v.pieceEnd(text, i)
			if end-i <= shortPiece {
				var room [shortPiece + 1]part
				short, long := v.merge(&room, text, i, end), v.mergeLong(text, i, end)
				if !slices.Equal(short, long) {
					t.Fatalf("%q: %v by scan, %v by heap", text[i:end], short, long)
				}
			}
			i = end
		}
	}
}

// Quadratic work on these would take minutes.
func TestRunsOfAMegabyteAreCounted(t *testing.T) {
	for unit, want := range map[string]int{"a": 131072, "ab": 262144, "=-": 65536, "字": 349525, "\xff": 1 << 20} {
		if got := Count(strings.Repeat(unit, 1<<20/len(unit))); got != want {
			t.Errorf("a megabyte of %q has %d tokens, want %d", unit, got, want)
		}
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	ids := Append([]ID{Start}, "user")
	ids = Append(append(ids, Message), "Hello, world!")
	ids = append(ids, End)
	want := []ID{Start, 1428, Message, 13225, 11, 2375, 0, End}
	if !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
	if got := Decode(ids); got != "<|start|>user<|message|>Hello, world!<|end|>" {
		t.Errorf("decoded to %q", got)
	}
}

func TestSpecialTokensInTextAreText(t *testing.T) {
	for id := firstSpecial; id < vocabularySize; id++ {
		text := Decode([]ID{id})
		if !id.Special() || !strings.HasPrefix(text, "<|") || !strings.HasSuffix(text, "|>") {
			t.Fatalf("token %d is %q", id, text)
		}
		if slices.ContainsFunc(Append(nil, text), ID.Special) {
			t.Fatalf("%q is encoded as a special token", text)
		}
	}
}

func TestDecodeMarksUnknownTokens(t *testing.T) {
	if got := Decode([]ID{13225, vocabularySize, 1<<32 - 1, 0}); got != "Hello\ufffd\ufffd!" {
		t.Errorf("got %q", got)
	}
}

func FuzzEncode(f *testing.F) {
	texts, _ := golden(f)
	for i, text := range texts {
		f.Add(text, i%9)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		ids := Append(nil, text)
		if back := Decode(ids); back != text {
			t.Fatalf("%q decodes to %q", text, back)
		}
		if got := Count(text); got != len(ids) {
			t.Fatalf("Count(%q) = %d, %d tokens", text, got, len(ids))
		}
		checkCut(t, text, n)
	})
}
