package token

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// golden is what tools/o200k wrote: texts, and their tokens by another
// implementation.
func golden(t testing.TB) (texts []string, ids [][]ID) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text  string
		Bytes []byte // instead of Text, where it is not UTF-8
		IDs   []ID
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		texts = append(texts, c.Text+string(c.Bytes))
		ids = append(ids, c.IDs)
	}
	return texts, ids
}

func TestEncodingIsTheReferences(t *testing.T) {
	texts, want := golden(t)
	if len(texts) < 500 {
		t.Fatalf("only %d golden cases", len(texts))
	}
	for i, text := range texts {
		got := Append(nil, text)
		if !slices.Equal(got, want[i]) {
			t.Errorf("%q\n got %v\nwant %v", text, got, want[i])
		}
		if n := Count(text); n != len(want[i]) {
			t.Errorf("Count(%q) = %d, want %d", text, n, len(want[i]))
		}
		if back := Decode(want[i]); back != text {
			t.Errorf("Decode(%v) = %q, want %q", want[i], back, text)
		}
	}
}
