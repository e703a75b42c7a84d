package open

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
	"github.com/winnow-search/winnow/ingest"
)

func facts(t *testing.T) (Home, *Collection, *Keeper) {
	t.Helper()
	h := NewHome(t.TempDir())
	c, err := h.Create("facts", Creation{Description: "Things that are so."})
	if err != nil {
		t.Fatal(err)
	}
	k, err := h.Keep(t.TempDir(), &Config{Settings: Settings{Embedder: fast}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return h, c, k
}

// holds counts the documents that the keeper opens.
func holds(t *testing.T, k *Keeper, c *Collection) int {
	t.Helper()
	o, err := k.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	d, err := o.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d.Documents
}

func TestACollectionOfContentIsMadeOnce(t *testing.T) {
	h, c, _ := facts(t)
	if c.Kind() != KindContent || c.Description() != "Things that are so." {
		t.Errorf("it is %v, %q", c.Kind(), c.Description())
	}
	if again, err := h.Named("facts"); err != nil || again.Description() != c.Description() {
		t.Errorf("read again it is %q (%v)", again.Description(), err)
	}
	if _, err := h.Create("facts", Creation{}); winnow.CodeOf(err) != winnow.Exists {
		t.Errorf("made twice: %v", err)
	}
	if _, err := h.Create("other", Creation{Language: "klingon"}); err == nil {
		t.Error("there is a language klingon")
	}
	if _, err := os.Stat(filepath.Join(h.Dir(), collectionsName, "other")); err == nil {
		t.Error("what could not be made left something behind")
	}
}

func TestAKeeperSeesEveryWriteAtOnce(t *testing.T) {
	_, c, k := facts(t)
	if n := holds(t, k, c); n != 0 {
		t.Errorf("at first it holds %d", n)
	}
	put := func(ids ...string) (docs []*winnow.Document) {
		for _, id := range ids {
			docs = append(docs, ingest.New(id, "", "text of "+id, nil))
		}
		return docs
	}
	if err := c.Write(t.Context(), put("a", "b"), nil, k.Models()); err != nil {
		t.Fatal(err)
	}
	if n := holds(t, k, c); n != 2 {
		t.Errorf("then it holds %d", n)
	}
	if err := c.Write(t.Context(), put("a", "c"), []string{"b", "none"}, nil); err != nil {
		t.Fatal(err)
	}
	if n := holds(t, k, c); n != 2 {
		t.Errorf("at last it holds %d", n)
	}
	o, err := k.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := c.Remove(); err != nil {
		t.Fatal(err)
	}
	k.Forget(c)
	if _, err := o.Read(t.Context(), winnow.ReadQuery{ID: "c"}); err != nil {
		t.Errorf("what was opened before it was removed: %v", err)
	}
}

func TestFilesAreNotWrittenTo(t *testing.T) {
	h := NewHome(t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("# A\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := h.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(t.Context(), nil, []string{"a.md"}, nil); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("a folder is written to: %v", err)
	}
}

// slow is an embedder that counts its calls.
type slow struct {
	winnow.Embedder
	calls int
}

func (s *slow) Embed(_ context.Context, texts []string) ([][]winnow.Vector, error) {
	s.calls++
	return make([][]winnow.Vector, len(texts)), nil
}

func TestFillingBehindStandsBackBetweenAFewTexts(t *testing.T) {
	inner, waits := &slow{}, 0
	p := patient{inner, func(context.Context) error { waits++; return nil }}
	vs, err := p.Embed(t.Context(), make([]string, 3*patientTexts-1))
	if err != nil || len(vs) != 3*patientTexts-1 || inner.calls != 3 || waits != 3 {
		t.Errorf("%d vectors, %d calls, %d waits (%v)", len(vs), inner.calls, waits, err)
	}
}

func TestTwoProcessesDoNotFillTheSame(t *testing.T) {
	_, c, _ := facts(t)
	unlock, err := lockAt(filepath.Join(c.dir, fillingName)) // as another process does
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := c.FillBehind(t.Context(), &Models{best: &slow{}}, nil); winnow.CodeOf(err) != winnow.Locked {
		t.Errorf("the second is told %v", err)
	}
}

func TestQuestionsThatComeTogetherShareACollectionOnAServer(t *testing.T) {
	h, dir := fruits(t)
	address := chromatest.Start(t, chromatest.Options{}).URL + "/fruits"
	if _, err := h.IndexChroma(t.Context(), address, []string{dir}, &Config{}, nil); err != nil {
		t.Fatal(err)
	}
	k, err := h.Keep(dir, &Config{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			o, err := k.OpenWith(t.Context(), []string{address})
			if err != nil || len(o.Warnings) > 0 {
				t.Errorf("%v, %q", err, o.Warnings)
				return
			}
			if r, err := o.Search(t.Context(), winnow.Query{Text: "orchard"}); err != nil || len(r.Hits) == 0 {
				t.Errorf("%+v (%v)", r, err)
			}
			o.Close()
			o.Close() // which counts once
		})
	}
	wg.Wait()
	o, err := k.OpenWith(t.Context(), []string{address})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if n := k.remotes[address].corpus.users.Load(); n != 2 {
		t.Errorf("%d use it, and there are the keeper and one", n)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := o.Search(t.Context(), winnow.Query{Text: "orchard"}); err != nil || len(r.Hits) == 0 {
		t.Errorf("what was opened before the keeper was closed finds %+v (%v)", r, err)
	}
}
