package desk_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/runs"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// at opens a desk in a folder with one note.
func at(t *testing.T, o desk.Options, settings map[string]string) (*desk.Desk, error) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "bees.md"), []byte("# Bees\n\nThe hive on the roof.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Home = open.NewHome(os.Getenv("WINNOW_HOME"))
	o.Runs = runs.In(o.Home.Dir())
	var err error
	if o.Config, err = open.LoadConfig(o.Dir, settings); err != nil {
		t.Fatal(err)
	}
	d, err := desk.New(o)
	if err == nil {
		t.Cleanup(func() { d.Close() })
	}
	return d, err
}

func must(t *testing.T, o desk.Options, settings map[string]string) *desk.Desk {
	t.Helper()
	d, err := at(t, o, settings)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var static = map[string]string{"embedder": "static"}

func TestVectorsFillInBehind(t *testing.T) {
	t.Setenv("WINNOW_HOME", t.TempDir())
	d := must(t, desk.Options{}, nil)
	for { // the test's own time limit is the bound
		list, err := d.Collections(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for space, share := range list.Collections[0].Vectors {
			if strings.HasPrefix(space, "minilm") && share == 1 {
				return
			}
		}
		runtime.Gosched()
	}
}

func TestASearchWaitsForTheFirstIndexing(t *testing.T) {
	t.Setenv("WINNOW_HOME", t.TempDir())
	d := must(t, desk.Options{}, static)
	found, err := d.Query(t.Context(), &wire.QueryRequest{Query: "hive"})
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("at once it finds %+v (%v)", found, err)
	}
}

func TestCollectionsThatWereNamedAreTheOnlyOnes(t *testing.T) {
	t.Setenv("WINNOW_HOME", t.TempDir())
	home := open.NewHome(os.Getenv("WINNOW_HOME"))
	for _, name := range []string{"public", "private"} {
		if _, err := home.Create(name, open.Creation{}); err != nil {
			t.Fatal(err)
		}
	}
	reach := func(d *desk.Desk) (names []string) {
		for _, name := range []string{"public", "private", "made"} {
			if _, err := d.Query(t.Context(), &wire.QueryRequest{Query: "a", In: wire.In{Collections: []string{name}}}); err == nil {
				names = append(names, name)
			} else if winnow.CodeOf(err) != winnow.NotFound {
				t.Error(err)
			}
		}
		return names
	}
	d := must(t, desk.Options{Where: open.Where{Collections: []string{"public"}}}, static)
	if _, err := d.Create(t.Context(), &wire.CollectionRequest{Name: "made"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(reach(d), " "); got != "public made" {
		t.Errorf("with --collection public, %q can be reached", got)
	}
	d = must(t, desk.Options{}, static)
	if got := strings.Join(reach(d), " "); got != "public private made" {
		t.Errorf("without, %q can be reached", got)
	}
	for _, w := range []open.Where{{Collections: []string{"nothing"}}, {In: []string{"/nothing/there"}}} {
		if _, err := at(t, desk.Options{Where: w}, static); winnow.CodeOf(err) != winnow.NotFound {
			t.Errorf("a desk over %v: %v", w, err)
		}
	}
}

func TestWhereThereIsNoDefaultARequestHasToName(t *testing.T) {
	t.Setenv("WINNOW_HOME", t.TempDir())
	dir := t.TempDir()
	t.Setenv("HOME", dir) // which is not searched unless asked for
	d := must(t, desk.Options{Dir: dir}, static)
	if _, err := d.Query(t.Context(), &wire.QueryRequest{Query: "hive"}); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("without any collection: %v", err)
	}
	if _, err := d.Create(t.Context(), &wire.CollectionRequest{Name: "facts"}); err != nil {
		t.Fatal(err)
	}
	_, err := d.Query(t.Context(), &wire.QueryRequest{Query: "hive"})
	if winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("without naming it: %v", err)
	}
	if _, err := d.Query(t.Context(), &wire.QueryRequest{Query: "hive", In: wire.In{Collections: []string{"facts"}}}); err != nil {
		t.Errorf("naming it: %v", err)
	}
}

func TestARequestMayChooseAmongPoliciesWithoutAModel(t *testing.T) {
	t.Setenv("WINNOW_HOME", t.TempDir())
	d := must(t, desk.Options{Policy: open.PolicySettings{Policy: "query"}}, static)
	for policy, ok := range map[string]bool{"": true, "query": true, "bm25": true, "chat": false, "anthropic": false, "nothing": false} {
		_, err := d.Ask(t.Context(), &wire.AskRequest{Question: "hive", Policy: policy})
		if (err == nil) != ok {
			t.Errorf("by %q: %v", policy, err)
		}
	}
	run, err := d.Ask(t.Context(), &wire.AskRequest{Question: "hive", Policy: "bm25", Budget: 8192})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := run.Answer(t.Context()); err != nil || a.Policy != "bm25" {
		t.Errorf("by bm25 it is %+v (%v)", a, err)
	}
}

func TestARequestNarrowsWhatTheDeskIsBoundTo(t *testing.T) {
	t.Setenv("WINNOW_HOME", t.TempDir())
	o := desk.Options{Dir: t.TempDir(), Scope: winnow.Scope{Path: "!secret/", ExcludeDocuments: []string{"draft.md"}},
		Policy: open.PolicySettings{Policy: "query"}}
	for _, name := range []string{"secret/key.md", "draft.md", "roof.md", "docs/hive.md"} {
		path := filepath.Join(o.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("# Hives\n\nThe hive on the roof.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := must(t, o, static)
	for _, c := range []struct {
		in   wire.In
		want string
	}{
		{wire.In{}, "bees.md docs/hive.md roof.md"},
		{wire.In{Path: "**/*"}, "bees.md docs/hive.md roof.md"},
		{wire.In{Path: "docs/", Exclude: []string{"x"}}, "docs/hive.md"},
		{wire.In{Path: "secret/"}, ""},
		{wire.In{Exclude: []string{"bees.md"}, Where: json.RawMessage("null")}, "docs/hive.md roof.md"},
	} {
		var found, met, lines, read []string
		q, err := d.Query(t.Context(), &wire.QueryRequest{Query: "hive", In: c.in})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range q.Hits {
			found = append(found, h.Document)
		}
		run, err := d.Ask(t.Context(), &wire.AskRequest{Question: "hive", In: c.in})
		if err != nil {
			t.Fatal(err)
		}
		a, err := run.Answer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Ranking {
			met = append(met, e.Document)
		}
		g, err := d.Grep(t.Context(), &wire.GrepRequest{Pattern: "hive", In: c.in})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range g.Matches {
			lines = append(lines, m.Document)
		}
		for _, name := range []string{"secret/key.md", "draft.md", "roof.md", "docs/hive.md", "bees.md"} {
			if _, err := d.Read(t.Context(), &wire.ReadRequest{Document: name, In: c.in}); err == nil {
				read = append(read, name)
			} else if winnow.CodeOf(err) != winnow.NotFound {
				t.Error(err)
			}
		}
		for how, names := range map[string][]string{"query": found, "ask": met, "grep": lines, "read": read} {
			slices.Sort(names)
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("with %+v %s reaches %q, not %q", c.in, how, got, c.want)
			}
		}
	}
}
