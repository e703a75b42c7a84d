package index_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestDescribeCountsWhatLives(t *testing.T) {
	ctx := context.Background()
	one := document("top.txt", "text", winnow.Metadata{"author": "Bob", "year": "2021"})
	got, err := open(t, manual(), one, document("docs/a/deep.txt", "text|more", nil)).Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := &winnow.Description{Documents: 3, Chunks: 7,
		Folders:  []winnow.Facet{{Value: "docs", Count: 4}, {Value: "docs/a", Count: 2}, {Value: ".", Count: 1}},
		Headings: []winnow.Facet{{Value: "Manual", Count: 1}, {Value: "Manual > Install", Count: 1}, {Value: "Manual > Install > Linux", Count: 1}, {Value: "Manual > Use", Count: 1}},
		Keys: []winnow.KeyUse{
			{Key: "author", Count: 5, Values: []winnow.Facet{{Value: "Ada", Count: 4}, {Value: "Bob", Count: 1}}},
			{Key: "year", Count: 5, Values: []winnow.Facet{{Value: int64(2021), Count: 3}, {Value: "2021", Count: 1}, {Value: int64(2024), Count: 1}}},
			{Key: "draft", Count: 4, Values: []winnow.Facet{{Value: false, Count: 4}}},
			{Key: "score", Count: 4, Values: []winnow.Facet{{Value: 0.5, Count: 4}}},
			{Key: "os", Count: 1, Values: []winnow.Facet{{Value: "linux", Count: 1}}},
		}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestDescribeIsTheSameEachTime has values that look alike and are as common.
func TestDescribeIsTheSameEachTime(t *testing.T) {
	snap := open(t, document("a", "x", winnow.Metadata{"v": int64(1)}), document("b", "x", winnow.Metadata{"v": "1"}),
		document("c", "x", winnow.Metadata{"v": float64(1)}), document("d", "x", winnow.Metadata{"v": true}), document("e", "x", winnow.Metadata{"v": "true"}))
	first, err := snap.Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if again, err := snap.Describe(context.Background()); err != nil || !reflect.DeepEqual(again, first) {
			t.Fatalf("got %+v, then %+v, %v", first.Keys, again.Keys, err)
		}
	}
}

func TestDescribeForgetsTheDead(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	h := newHistory(16, 3)
	ix := createEmpty(t, dir)
	for step := 1; step <= 3; step++ {
		commitStep(t, dir, h, step)
	}
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	got, err := snap.Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := map[any]int{}
	for id, step := range h.states[3] {
		want[int64(step)] += len(h.document(id, step).Chunks)
	}
	for _, v := range got.Keys[0].Values {
		if want[v.Value] != v.Count {
			t.Errorf("step %v has %d chunks, want %d", v.Value, v.Count, want[v.Value])
		}
		delete(want, v.Value)
	}
	if len(want) > 0 {
		t.Errorf("steps %v are missing", want)
	}
}

func TestDescribeAnEmptyIndex(t *testing.T) {
	got, err := open(t).Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(got); err != nil || strings.Contains(string(b), "null") {
		t.Errorf("got %s, %v: lists should be empty, not null", b, err)
	}
}
