package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/rerank/boost"
)

// learned are weights from invented lessons: the first feature tells.
func learned(t testing.TB, trees int) *Weights {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var groups []boost.Group
	for i := range 40 {
		g := boost.Group{ID: fmt.Sprint(i)}
		for range 20 {
			row := make([]float32, len(Features))
			for j := range row {
				row[j] = r.Float32()
			}
			g.Rows, g.Relevant = append(g.Rows, row), append(g.Relevant, row[0] > 0.8)
		}
		groups = append(groups, g)
	}
	train := func(p boost.Params) *boost.Model {
		p.Trees = trees
		m, err := boost.Train(context.Background(), Features, groups, p)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	return &Weights{Ranker: train(boost.Params{}), Judge: train(boost.Params{Pointwise: true})}
}

func TestWeightsAreReadAsTheyWereWritten(t *testing.T) {
	data := learned(t, 5).Encode()
	w, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(w.Encode(), data) {
		t.Error("weights that are read and written are not the same")
	}
	low, high := make([]float32, len(Features)), make([]float32, len(Features))
	high[0] = 0.95
	if w.Ranker.Score(high) <= w.Ranker.Score(low) || w.Judge.Score(high) <= w.Judge.Score(low) {
		t.Error("what was learned is lost")
	}
}

func TestDamagedWeightsAreRefused(t *testing.T) {
	data := learned(t, 2).Encode()
	other, err := boost.Train(t.Context(), []string{"another"}, []boost.Group{{ID: "1", Rows: [][]float32{{1}, {2}}, Relevant: []bool{true, false}}}, boost.Params{Trees: 1, MinRows: 1})
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(data)
	flipped[len(data)/2] ^= 1
	for name, damaged := range map[string][]byte{
		"empty":             nil,
		"one byte":          {1},
		"half of it":        data[:len(data)/2],
		"without its end":   data[:len(data)-1],
		"one bit":           flipped,
		"more behind it":    append(slices.Clone(data), 0),
		"a length too long": append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, data...),
		"of other features": (&Weights{Ranker: other, Judge: other}).Encode(),
	} {
		if _, err := Decode(damaged); winnow.CodeOf(err) == "" {
			t.Errorf("%s: read, with %v", name, err)
		}
	}
}

func TestWeightsOfOnesOwnComeFirst(t *testing.T) {
	dir := t.TempDir()
	own := learned(t, 3)
	if err := os.WriteFile(filepath.Join(dir, File("a/model")), own.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Load(dir, "a/model")
	if err != nil || !bytes.Equal(w.Encode(), own.Encode()) {
		t.Errorf("the weights in the folder are not used: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, File("a/model")), []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	var typed *winnow.Error
	if _, err := Load(dir, "a/model"); !errors.As(err, &typed) {
		t.Errorf("damaged weights of one's own give %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	data := learned(f, 2).Encode()
	f.Add(data)
	f.Add(data[:len(data)-7])
	f.Add([]byte{})
	f.Add([]byte{3, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(w.Encode())
		if err != nil || !bytes.Equal(again.Encode(), w.Encode()) {
			t.Errorf("weights that were read can't be written: %v", err)
		}
	})
}
