package desk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

func TestACollectionOnAChromaServerIsReachedIfItWasGiven(t *testing.T) {
	t.Setenv("WINNOW_HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "wasps.md"), []byte("# Wasps\n\nWasps chew wood.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := chromatest.Start(t, chromatest.Options{})
	given, other := server.URL+"/insects", server.URL+"/others"
	home := open.NewHome(os.Getenv("WINNOW_HOME"))
	for _, address := range []string{given, other} {
		if _, err := home.IndexChroma(t.Context(), address, []string{dir}, &open.Config{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	notes := t.TempDir()
	d := must(t, desk.Options{Dir: notes, Where: open.Where{In: []string{notes}, Collections: []string{given}}}, nil)
	run, err := d.Ask(t.Context(), &wire.AskRequest{Question: "what do wasps chew", Policy: "query"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := run.Answer(t.Context())
	if err != nil || len(a.Collections) != 2 || a.Ranking[0].Document != "wasps.md" && a.Ranking[1].Document != "wasps.md" {
		t.Errorf("beside a folder it answers %+v (%v)", a.Ranking, err)
	}
	if found, err := d.Query(t.Context(), &wire.QueryRequest{Query: "wasps", In: wire.In{Collections: []string{given}}}); err != nil || len(found.Hits) != 1 || found.Hits[0].Collection != given {
		t.Errorf("alone it finds %+v (%v)", found, err)
	}
	if c, err := d.Collection(t.Context(), given); err != nil || c.Kind != "chroma" || c.Documents != 1 || c.State != wire.CollectionReady {
		t.Errorf("it is described as %+v (%v)", c, err)
	}
	for _, address := range []string{other, "chroma://192.0.2.1:1/x"} {
		if _, err := d.Query(t.Context(), &wire.QueryRequest{Query: "wasps", In: wire.In{Collections: []string{address}}}); winnow.CodeOf(err) != winnow.NotFound {
			t.Errorf("%s, which was not given: %v", address, err)
		}
	}
	if err := d.Delete(given); err == nil {
		t.Error("a collection on a server is removed from here")
	}
}
