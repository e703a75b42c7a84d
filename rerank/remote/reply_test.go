package remote

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestAReplyIsUsedWholeOrNotAtAll(t *testing.T) {
	for _, c := range []struct{ name, reply, say string }{
		{"too few", `{"results":[{"index":0,"relevance_score":1}]}`, "1 documents of 2"},
		{"too many", `[{"index":0,"score":1},{"index":1,"score":1},{"index":2,"score":1}]`, "3 documents of 2"},
		{"none", `{"results":[]}`, "0 documents of 2"},
		{"twice", `{"results":[{"index":1,"relevance_score":1},{"index":1,"relevance_score":2}]}`, "document 1 twice"},
		{"past the end", `{"data":[{"index":0,"score":1},{"index":2,"score":1}]}`, "document 2 of 2"},
		{"negative", `[{"index":-1,"score":1},{"index":0,"score":1}]`, "document -1 of 2"},
		{"no index", `[{"score":1},{"index":0,"score":1}]`, "which document"},
		{"no score", `[{"index":1},{"index":0,"score":1}]`, "document 1 is not a number"},
		{"null for NaN", `{"data":[{"index":0,"score":null},{"index":1,"score":1}]}`, "document 0 is not a number"},
		{"NaN as Python writes it", `{"data":[{"index":0,"score":NaN},{"index":1,"score":1}]}`, "can't be read"},
		{"past a float", `[{"index":0,"score":1e999},{"index":1,"score":1}]`, "can't be read"},
		{"text for a score", `[{"index":0,"score":"high"},{"index":1,"score":1}]`, "can't be read"},
		{"half an index", `[{"index":0.5,"score":1},{"index":1,"score":1}]`, "can't be read"},
		{"HTML", "\n<!DOCTYPE html><html></html>", "HTML page"},
		{"nothing", " ", "empty"},
		{"a text", `"ok"`, "can't be read"},
		{"cut off", `{"results":[{"index":0,`, "can't be read"},
		{"an error", `{"error":{"message":"model is loading"}}`, "no results: model is loading"},
		{"embeddings", `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "not a number"},
	} {
		if err := readScores([]byte(c.reply), make([]float64, 2)); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v, want %q", c.name, err, c.say)
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		`{"results":[{"index":1,"relevance_score":0.25},{"index":0,"relevance_score":-3}]}`,
		`[{"index":0,"score":1},{"index":1,"score":2}]`,
		`{"data":[{"index":0,"score":1e-300},{"index":1,"score":1,"object":"score"}]}`,
		`{"results":null,"data":[]}`, `[null,null]`, `[[]]`, `{}`, `<p>`, ``, `NaN`,
	} {
		f.Add([]byte(seed), uint8(2))
	}
	f.Fuzz(func(t *testing.T, reply []byte, n uint8) {
		unset := math.Inf(1)
		scores := slices.Repeat([]float64{unset}, int(n))
		if readScores(reply, scores) != nil {
			return
		}
		for i, s := range scores {
			if math.IsNaN(s) || math.IsInf(s, 0) {
				t.Errorf("document %d scores %v by %q", i, s, reply)
			}
		}
	})
}
