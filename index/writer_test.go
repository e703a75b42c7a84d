package index_test

import (
	"context"
	"errors"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestPutRefusesWhatItCantStore(t *testing.T) {
	ctx := context.Background()
	w, err := createEmpty(t, t.TempDir()).Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, d := range []*winnow.Document{
		{},
		{ID: "a", Metadata: winnow.Metadata{"k": 1}},
		{ID: "a", Metadata: winnow.Metadata{"k": []string{"x"}}},
		{ID: "a", Metadata: winnow.Metadata{"k": nil}},
		{ID: "a", Chunks: []winnow.Chunk{{Metadata: winnow.Metadata{"k": struct{}{}}}}},
	} {
		var e *winnow.Error
		if err := w.Put(ctx, d); !errors.As(err, &e) || e.Code != winnow.BadInput || e.Hint == "" {
			t.Errorf("%+v gives %v, want a sentence and a hint", d, err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
}
