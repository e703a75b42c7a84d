package open

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
)

// fruits is a folder that tells a small story in three documents.
func fruits(t *testing.T) (Home, string) {
	t.Helper()
	h, dir := place(t)
	write(t, filepath.Join(dir, "orchard.md"), "# Orchard\n\nThe orchard belongs to Ada Winter. It lies behind the mill.\n")
	write(t, filepath.Join(dir, "winter.md"), "# Ada Winter\n\nAda Winter was born in Riverton and grows apples.\n")
	return h, dir
}

func chromaOptions(dir string, s Settings) Options {
	return Options{Dir: dir, Config: &Config{Settings: s}}
}

func TestAFolderIsWrittenToChromaAndSearchedThere(t *testing.T) {
	h, dir := fruits(t)
	address := chromatest.Start(t, chromatest.Options{}).URL + "/fruits"
	config := &Config{}
	u, err := h.IndexChroma(t.Context(), address, []string{dir}, config, nil)
	if err != nil || u.Put != 3 {
		t.Fatalf("%+v (%v)", u, err)
	}
	o, err := h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	r, err := o.Search(t.Context(), winnow.Query{Text: "who owns the orchard", K: 1})
	if err != nil || len(r.Hits) != 1 || r.Hits[0].Document != "orchard.md" || r.Hits[0].Collection != address || len(r.Warnings)+len(o.Warnings) != 0 {
		t.Errorf("%+v, %q (%v)", r, o.Warnings, err)
	}
	if o.Coverage() != 1 || o.Language(address) != "english" {
		t.Errorf("coverage %v, language %q", o.Coverage(), o.Language(address))
	}
	if w, err := o.Why(t.Context(), winnow.Query{Text: "orchard"}, "winter.md"); err != nil || w.Document != "winter.md" {
		t.Errorf("why gives %+v (%v)", w, err)
	}
	// What changed is written, what is gone is deleted, and nothing else.
	write(t, filepath.Join(dir, "a.md"), "# Apples\n\nApples are green now.\n")
	if err := os.Remove(filepath.Join(dir, "winter.md")); err != nil {
		t.Fatal(err)
	}
	if u, err = h.IndexChroma(t.Context(), address, []string{dir}, config, nil); err != nil || u.Put != 1 || u.Deleted != 1 {
		t.Errorf("%+v (%v)", u, err)
	}
	list, err := h.ListChroma(t.Context(), strings.TrimSuffix(address, "/fruits"), config)
	if err != nil || len(list) != 1 || list[0].Records != 2 || list[0].Embedder != "default" || list[0].Companion != "stale: it has 3 records" {
		t.Errorf("the list is %+v (%v)", list, err)
	}
	if s, err := h.FollowChroma(t.Context(), address, config, false, nil); err != nil || s.Put != 1 || s.Deleted != 1 || s.Records != 2 {
		t.Errorf("following gives %+v (%v)", s, err)
	}
}

func TestALocalFolderAndChromaAnswerOneQuestion(t *testing.T) {
	h, dir := fruits(t)
	for _, cloud := range []bool{false, true} {
		address := chromatest.Start(t, chromatest.Options{Cloud: cloud}).URL + "/fruits"
		if _, err := h.IndexChroma(t.Context(), address, []string{dir}, &Config{}, nil); err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(t.TempDir(), "other")
		write(t, filepath.Join(other, "mill.md"), "# The mill\n\nThe mill burned down in 1902.\n")
		o, err := h.Open(t.Context(), Where{In: []string{other}, Collections: []string{address}}, chromaOptions(dir, Settings{}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := o.Search(t.Context(), winnow.Query{Text: "what happened to the mill behind the orchard", K: 2})
		var from []string
		if err == nil {
			for _, hit := range r.Hits {
				from = append(from, hit.Document)
			}
		}
		slices.Sort(from)
		if !slices.Equal(from, []string{"mill.md", "orchard.md"}) {
			t.Errorf("cloud %v: found %v (%v)", cloud, from, err)
		}
		o.Close()
	}
}

func TestAForeignModelIsRefusedUnlessVectorsAreOff(t *testing.T) {
	h, dir := fruits(t)
	s := chromatest.Start(t, chromatest.Options{})
	address := s.URL + "/foreign"
	root := strings.Replace(s.URL, "chroma://", "http://", 1) + "/api/v2/tenants/default_tenant/databases/default_database/collections"
	post := func(path string, body any) map[string]any {
		t.Helper()
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post(root+path, "application/json", strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %d %v (%v)", path, resp.StatusCode, out, err)
		}
		return out
	}
	id := post("", map[string]any{"name": "foreign"})["id"].(string)
	v := make([]float64, 384) // as long as ours, and another model's
	v[7] = 1
	post("/"+id+"/upsert", map[string]any{"ids": []string{"x"}, "embeddings": [][]float64{v}, "documents": []string{"an orchard behind the mill"}, "metadatas": []map[string]any{nil}})
	_, err := h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, Settings{}))
	if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(advice(err), "--no-dense") {
		t.Errorf("opening it gives %v", err)
	}
	o, err := h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, Settings{Embedder: off}))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if found(t, o, "orchard") != 1 {
		t.Error("words do not find it")
	}
}

func TestACompanionIsSearchedWhileItsServerIsAway(t *testing.T) {
	h, dir := fruits(t)
	down := false
	s := chromatest.Start(t, chromatest.Options{Before: func(w http.ResponseWriter, r *http.Request) bool {
		if down {
			w.Header().Set("Retry-After", "3600") // nobody waits that long
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return down
	}})
	address := s.URL + "/fruits"
	if _, err := h.IndexChroma(t.Context(), address, []string{dir}, &Config{}, nil); err != nil {
		t.Fatal(err)
	}
	open := func() (*Opened, error) {
		return h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, Settings{Chroma: ChromaSettings{Timeout: 100 * time.Millisecond}}))
	}
	o, err := open()
	if err != nil {
		t.Fatal(err)
	}
	o.Close()
	down = true
	if o, err = open(); err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if found(t, o, "orchard") == 0 || len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "last saw it") {
		t.Errorf("the warnings are %q", o.Warnings)
	}
}

func TestTheUsualKeyDoesNotTravelInTheClear(t *testing.T) {
	t.Setenv("CHROMA_API_KEY", "usual")
	t.Setenv("MY_KEY", "mine")
	for _, test := range []struct{ address, env, want string }{
		{"chroma+https://api.example.com/c", "", "usual"}, {"chroma://localhost/c", "", "usual"}, {"chroma://127.0.0.1:9/c", "", "usual"},
		{"chroma://db.example.com/c", "", ""}, {"chroma://10.0.0.7:8000/c", "", ""}, {"chroma://db.example.com/c", "MY_KEY", "mine"},
	} {
		a, err := chroma.ParseAddress(test.address)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (&ChromaSettings{KeyEnv: test.env}).token(a); err != nil || got != test.want {
			t.Errorf("%s is sent %q (%v), want %q", test.address, got, err, test.want)
		}
	}
	if _, err := (&ChromaSettings{KeyEnv: "NOT_SET"}).token(chroma.Address{}); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("a variable that is not set gives %v", err)
	}
}

func TestAProjectsFileCantNameAServer(t *testing.T) {
	for _, text := range []string{"collections: [chroma://evil:1/x]", "chroma: {headers: {X: y}}", "chroma: {key_env: HOME}", "chroma: {ca: evil.pem}"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, ConfigName), text+"\n")
		if _, err := LoadConfig(dir, nil); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%s gives %v", text, err)
		}
	}
}

// Questions that come at once find the companion in step without waiting for
// each other, and without a warning.
func TestACollectionIsOpenedByManyAtOnce(t *testing.T) {
	h, dir := fruits(t)
	address := chromatest.Start(t, chromatest.Options{}).URL + "/fruits"
	if _, err := h.IndexChroma(t.Context(), address, []string{dir}, &Config{}, nil); err != nil {
		t.Fatal(err)
	}
	open := func() {
		o, err := h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, Settings{}))
		if err != nil {
			t.Error(err)
			return
		}
		defer o.Close()
		if r, err := o.Search(t.Context(), winnow.Query{Text: "orchard"}); err != nil || len(r.Hits) == 0 || len(o.Warnings)+len(r.Warnings) != 0 {
			t.Errorf("warnings %q %v (%v)", o.Warnings, r, err)
		}
	}
	open()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(open)
	}
	wg.Wait()
}
