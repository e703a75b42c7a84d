package page_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow/serve/browser"
)

// album takes pictures of a tab for people to look at, into the folder that
// WINNOW_PICTURES names.
type album struct {
	dir string
	tab *browser.Tab
}

var (
	desktop = browser.Look{Width: 1440, Height: 1000, Still: true}
	phone   = browser.Look{Width: 390, Height: 844, Phone: true, Still: true, Scale: 2}
)

func newAlbum(t *testing.T) *album {
	t.Helper()
	dir := os.Getenv("WINNOW_PICTURES")
	if dir == "" {
		t.Skip("set WINNOW_PICTURES to a folder, and WINNOW_E2E=1, for pictures of the page")
	}
	return &album{dir: dir}
}

// take takes what the tab shows: light and dark, on a desk and on a phone.
func (a *album) take(name string) {
	for suffix, look := range map[string]browser.Look{"": desktop, "-phone": phone} {
		for theme, dark := range map[string]bool{"-light": false, "-dark": true} {
			look.Dark = dark
			a.tab.Look(look)
			a.tab.Eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, nil)
			a.tab.Picture(filepath.Join(a.dir, name+suffix+theme+".png"))
		}
	}
	a.tab.Look(desktop)
}

// The pictures of docs/page.md are this test's run-light.png and run-dark.png, made
// smaller by pngquant.
func TestPictures(t *testing.T) {
	a := newAlbum(t)
	s := overVillage(t)
	a.tab = browser.Start(t).Open(s.url+"/", desktop)
	a.tab.Wait(`document.querySelector("#policy").value === "builtin"`)
	a.tab.Type(villageQuestion)
	a.take("ask")
	a.tab.Press("Enter")
	a.tab.Wait(`!!document.querySelector(".ranking .selected") && !!document.querySelector(".runs a[data-state=ended]")`)
	a.tab.Eval(`scrollTo(0, 0)`, nil)
	a.take("run")
	a.tab.Click("#turn-1 .chunk[data-state=pruned] summary")
	a.tab.Eval(`document.querySelector(".chunk[open]").scrollIntoView({block: "center"})`, nil)
	a.take("turn")
	a.tab.Click("#turn-2 .size")
	a.tab.Eval(`document.querySelector("#turn-1 .chunk:last-child").scrollIntoView()`, nil)
	a.take("view")
	a.tab.Click("#turn-2 .size")
	a.tab.Click(".ranking .selected .open")
	a.tab.Find(".passage.here")
	a.take("document")
	a.tab.Go(s.url + "/collections")
	a.tab.Find(".collections .panel")
	a.take("collections")
}

// A run that goes on, which a model can be made to wait in.
func TestPicturesOfALiveRun(t *testing.T) {
	a := newAlbum(t)
	m := &model{script: detective(), steps: make(chan struct{}, 8)}
	s := serve(t, m, "--in", notes(t), "--budget", "4096")
	a.tab = browser.Start(t).Open(s.url+"/", desktop)
	a.tab.Wait(`document.querySelector("#policy").value === "chat"`)
	a.tab.Type(question)
	a.tab.Press("Enter")
	m.step()
	a.tab.Find("#turn-1 .chunk")
	m.step()
	a.tab.Find("#turn-2 .chunk")
	a.take("live")
}
