package page_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow/serve/browser"
)

// Pictures of the page for people to look at, into the folder that
// WINNOW_PICTURES names.
func TestPictures(t *testing.T) {
	dir := os.Getenv("WINNOW_PICTURES")
	if dir == "" {
		t.Skip("set WINNOW_PICTURES to a folder, and WINNOW_E2E=1, for pictures of the page")
	}
	b := browser.Start(t)
	m := &model{script: detective(), steps: make(chan struct{}, 8)}
	s := serve(t, m, "--in", notes(t), "--budget", "4096")
	desk := browser.Look{Width: 1440, Height: 900, Still: true}
	phone := browser.Look{Width: 390, Height: 844, Phone: true, Still: true, Scale: 2}
	tab := b.Open(s.url+"/", desk)
	take := func(name string) {
		for suffix, look := range map[string]browser.Look{"": desk, "-phone": phone} {
			for _, dark := range []bool{false, true} {
				look.Dark = dark
				tab.Look(look)
				tab.Eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, nil)
				theme := "light"
				if dark {
					theme = "dark"
				}
				tab.Picture(filepath.Join(dir, name+suffix+"-"+theme+".png"))
			}
		}
		tab.Look(desk)
	}
	tab.Wait(`document.querySelector("#policy").value === "chat"`)
	tab.Type(question)
	take("ask")
	tab.Press("Enter")
	m.step()
	tab.Find("#turn-1 .chunk")
	m.step()
	tab.Find("#turn-2 .chunk")
	take("live")
	m.step()
	m.step()
	tab.Wait(`!!document.querySelector(".ranking .selected") && !!document.querySelector(".runs a[data-state=ended]")`)
	tab.Eval(`scrollTo(0, 0)`, nil)
	take("run")
	tab.Click("#turn-2 .step summary")
	tab.Eval(`document.querySelector("#turn-2").scrollIntoView()`, nil)
	take("turn")
	tab.Click("#turn-3 .size")
	tab.Eval(`document.querySelector("#turn-1 .chunk:last-child").scrollIntoView()`, nil)
	take("view")
	tab.Click("#turn-3 .size")
	tab.Click(".ranking .selected .open")
	tab.Find(".passage.here")
	take("document")
	tab.Go(s.url + "/collections")
	tab.Find(".collections .panel")
	take("collections")
}
