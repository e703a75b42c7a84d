package wordpiece

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The golden file holds what the reference tokenizer (the "tokenizers" package,
// with the model's own tokenizer.json) answers.
func TestPiecesAreTheReferences(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		Text string
		IDs  []int32
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden) < 300 {
		t.Fatalf("only %d golden texts", len(golden))
	}
	tok := New()
	for _, g := range golden {
		if got := tok.Encode(nil, g.Text, math.MaxInt32); !slices.Equal(got, g.IDs) {
			t.Errorf("%q:\n got %v\nwant %v", g.Text, got, g.IDs)
		}
	}
}

func TestSpecialPiecesInTextAreText(t *testing.T) {
	tok := New()
	for _, text := range []string{"[CLS]", "[SEP]", "[UNK]", "[MASK]", "[PAD]", "[unused7]"} {
		ids := tok.Encode(nil, text, 100)
		if len(ids) < 3 || slices.Contains(ids, Start) || slices.Contains(ids, End) || slices.Contains(ids, Unknown) {
			t.Errorf("%s: %v", text, ids)
		}
	}
}

func TestEncodeStopsAtItsLimit(t *testing.T) {
	tok := New()
	text := strings.Repeat("unbelievably ", 1000)
	whole := tok.Encode(nil, text, math.MaxInt32)
	for _, limit := range []int{0, 1, 2, 3, 7, len(whole), len(whole) + 1} {
		got := tok.Encode([]int32{Start}, text, limit)
		want := append([]int32{Start}, whole[:min(limit, len(whole))]...)
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %d pieces, want %d", limit, len(got), len(want))
		}
	}
}

func TestContinuationsStandInsideWords(t *testing.T) {
	tok := New()
	pieces := Pieces()
	if len(pieces) != Size {
		t.Fatalf("%d pieces, want %d", len(pieces), Size)
	}
	for _, id := range tok.Encode(nil, "electroencephalography", 100)[1:] {
		if !tok.Continues(id) || !strings.HasPrefix(pieces[id], continuation) {
			t.Errorf("piece %q does not continue", pieces[id])
		}
	}
	if first := tok.Encode(nil, "electroencephalography", 1)[0]; tok.Continues(first) {
		t.Errorf("first piece %q continues", pieces[first])
	}
}

func FuzzEncode(f *testing.F) {
	for _, seed := range []string{"", "Hello, wörld", "漢字 a\u0301", "\xff\xfe", "[CLS]", strings.Repeat("x", 300)} {
		f.Add(seed)
	}
	tok := New()
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(nil, text, math.MaxInt32)
		if len(ids) > 4*utf8.RuneCountInString(text) {
			t.Fatalf("%d pieces of %d characters", len(ids), utf8.RuneCountInString(text))
		}
		for _, id := range ids {
			if id < 0 || id >= Size || id == Start || id == End {
				t.Fatalf("piece %d", id)
			}
		}
		if len(ids) > 1 {
			if got := tok.Encode(nil, text, len(ids)-1); !slices.Equal(got, ids[:len(ids)-1]) {
				t.Fatal("a limit changes the pieces before it")
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tok := New()
	text := strings.Repeat("The committee approved Dr. Okonkwo's proposal for a regional archive in 1987. ", 8)
	b.SetBytes(int64(len(text)))
	var ids []int32
	for b.Loop() {
		ids = tok.Encode(ids[:0], text, math.MaxInt32)
	}
}
