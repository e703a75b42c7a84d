package page_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow/serve/browser"
)

// village is the folder that the built-in policy is watched over: pages, mails,
// code and rules of a place that does not exist. villageQuestion takes three
// pages, each named in the one before: the observatory, its founder, his wife.
const (
	village         = "../../eval/testdata/gate/corpus"
	villageQuestion = "What is the best known picture by the woman whom the founder of the Aske Observatory married?"
)

// overVillage is a server with the built-in policy over the village.
func overVillage(t *testing.T) *serving {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "village")
	if err := os.CopyFS(dir, os.DirFS(village)); err != nil {
		t.Fatal(err)
	}
	s := &serving{t: t, home: t.TempDir()}
	if err := s.command("index", "--quiet", dir).Run(); err != nil { // all vectors, which a server fills in behind
		t.Fatal(err)
	}
	s.start("--in", dir, "--budget", "8192")
	return s
}

func TestTheBuiltInPolicyIsWatchedAsAnyOther(t *testing.T) {
	b := browser.Start(t)
	s := overVillage(t)
	tab := b.Open(s.url+"/", browser.Look{Still: true})
	tab.Wait(`document.activeElement.id === "question" && document.querySelector("#policy").value === "builtin"`)
	tab.Type(villageQuestion)
	tab.Press("Enter")
	tab.Wait(`[...document.querySelectorAll(".ranking .selected .title")].some(e => e.textContent === "Sybil Rourke")`)
	// Three pages of one search, told apart.
	tab.Wait(`[...document.querySelectorAll("#turn-1 .argument")].slice(1, 3).map(e => e.textContent).join() === "page 2 of the same,page 3 of the same"`)
	tab.Wait(`document.querySelectorAll(".chunk[data-state=pruned]").length > 10 && !!document.querySelector(".budget .freed")`)
	clean(t, tab, s.url)
}
