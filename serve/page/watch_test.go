package page_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-search/winnow/serve/browser"
)

// clean fails if the page complained, or asked for anything beyond its server.
func clean(t *testing.T, tab *browser.Tab, origin string) {
	t.Helper()
	for _, problem := range tab.Problems() {
		t.Errorf("the browser complains: %s", problem)
	}
	for _, request := range tab.Requests() {
		u, err := url.Parse(request)
		if err != nil || u.Scheme+"://"+u.Host != origin && u.Scheme != "data" && request != "about:blank" {
			t.Errorf("the page asked for %s", request)
		}
	}
}

func TestAPersonAsksAndWatchesTheSearch(t *testing.T) {
	b := browser.Start(t)
	m := &model{script: detective(), steps: make(chan struct{}, 8)}
	s := serve(t, m, "--in", notes(t))
	tab := b.Open(s.url+"/", browser.Look{Still: true})

	// Asked by keyboard alone: the question has the focus.
	tab.Wait(`document.activeElement.id === "question" && document.querySelector("#policy").value === "chat"`)
	tab.Type(question)
	tab.Press("Enter")
	tab.Wait(`location.pathname.startsWith("/runs/")`)
	tab.Wait(`document.querySelector("h1").textContent.startsWith("Who leads")`)
	tab.Wait(`document.querySelector(".run").dataset.state === "live" && !document.querySelector(".turn")`)

	// Each step shows before the next is taken.
	m.step()
	tab.Wait(`document.querySelectorAll("#turn-1 .lane").length === 2`)
	tab.Wait(`document.querySelectorAll("#turn-1 .chunk").length > 6 && !document.querySelector("#turn-2")`)
	tab.Wait(`!document.querySelector("[data-state=pruned]")`)
	tab.Wait(`document.querySelector(".runs [data-state=live]").textContent.includes("Who leads")`)
	m.step()
	tab.Wait(`!!document.querySelector("#turn-2 .chunk")`)
	tab.Wait(`document.querySelectorAll("#turn-1 .chunk[data-state=pruned]").length >= 4`)
	if got := tab.Text("#turn-2 .step summary"); !strings.Contains(got, "Pruned") || !strings.Contains(got, "tokens came free") {
		t.Errorf("the prune reads %q", got)
	}
	var strikes string
	tab.Eval(`getComputedStyle(document.querySelector("#turn-1 .chunk[data-state=pruned] .title")).textDecorationLine`, &strikes)
	if strikes != "line-through" {
		t.Errorf("a pruned chunk has the decoration %q", strikes)
	}
	// What was pruned can still be read.
	tab.Click("#turn-1 .chunk[data-state=pruned] summary")
	tab.Wait(`document.querySelector("#turn-1 .chunk[data-state=pruned][open] .text").textContent.length > 40`)
	tab.Wait(`document.querySelectorAll(".budget .bars li").length === 2 && !!document.querySelector(".budget .freed")`)
	tab.Wait(`document.querySelector(".ranking").hidden`)
	m.step()
	tab.Find("#turn-3 [data-tool=grep_corpus] .chunk")
	m.step()

	// The ranking, its reasons and how they were come by.
	tab.Wait(`document.querySelectorAll(".ranking .selected").length === 3`)
	if got := tab.Text(".ranking"); !strings.Contains(got, "Heron is led by Mirre Okafor.") {
		t.Errorf("the ranking reads %q", got)
	}
	if got := tab.Text(".chain"); !strings.Contains(got, "names “heron”") {
		t.Errorf("the chain reads %q", got)
	}
	tab.Wait(`document.querySelectorAll(".marks span").length === 2`)
	tab.Wait(`document.querySelector(".runs a[aria-current=page]").dataset.state === "ended"`)

	// Any view can be had back: in that of turn 2 nothing is pruned yet.
	tab.Click("#turn-2 .size")
	tab.Wait(`!document.querySelector(".chunk[data-state=pruned]") && document.querySelector("#turn-2 .chunk").dataset.state === "later"`)
	tab.Click("#turn-3 .size")
	tab.Wait(`document.querySelectorAll("#turn-1 .chunk[data-state=pruned]").length >= 4 && document.querySelector("#turn-2 .chunk").dataset.state === "shown"`)
	tab.Click("#turn-3 .size")
	tab.Find("#turn-2 .chunk[data-state=ranked]")

	// The buttons give the run away, whole and without text.
	var sizes []int
	tab.Eval(`Promise.all([...document.querySelectorAll(".actions a[download]")].map(a => fetch(a.href).then(r => r.ok ? r.text() : "")).map(async t => (await t).length))`, &sizes)
	if len(sizes) != 2 || sizes[1] < 10_000 || sizes[0] <= sizes[1] {
		t.Errorf("the exports have %d characters", sizes)
	}

	// A document opens at its chunk, and closes by keyboard.
	tab.Click(".ranking .selected .open")
	tab.Wait(`document.querySelector(".reader[open] .passage.here")?.textContent.includes("five people in Utrecht")`)
	tab.Wait(`document.querySelector(".passage.here").dataset.state === "ranked"`)
	tab.Press("Escape")
	tab.Wait(`!document.querySelector(".reader[open]")`)

	// Keys, and a link to a turn.
	tab.Press("?")
	tab.Find(".keys[open]")
	tab.Press("Escape")
	tab.Wait(`!document.querySelector(".keys[open]")`)
	tab.Press("k")
	tab.Wait(`document.activeElement.classList.contains("turn")`)
	var here string
	tab.Eval(`location.origin + location.pathname`, &here)
	tab.Go(here + "#turn-3")
	tab.Wait(`document.querySelector("#turn-3")?.getBoundingClientRect().top < innerHeight / 2 && document.querySelectorAll(".ranking .selected").length === 3`)

	tab.Press("c")
	tab.Wait(`document.querySelector(".collections .panel [data-state=ready]") && document.querySelector(".collections").textContent.includes("40")`)
	clean(t, tab, s.url)
}

// An assistant starts a process of its own that knows nothing of the server.
func TestASearchThatAnAssistantStartedAppearsLive(t *testing.T) {
	b := browser.Start(t)
	m := &model{script: detective(), steps: make(chan struct{}, 8)}
	folder := notes(t)
	s := serve(t, m, "--in", folder)
	tab := b.Open(s.url+"/", browser.Look{Still: true})
	tab.Find(".history")

	cmd := s.command(append([]string{"mcp", "--in", folder}, s.args...)...)
	client := sdk.NewClient(&sdk.Implementation{Name: "assistant", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	done := make(chan error, 1)
	go func() {
		_, err := session.CallTool(context.WithoutCancel(t.Context()), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": question, "deadline_s": 300}})
		done <- err
	}()
	m.step()
	tab.Click(".runs a[data-state=live]")
	tab.Wait(`document.querySelectorAll("#turn-1 .chunk").length > 6 && document.querySelector(".run").dataset.state === "live"`)
	m.step()
	tab.Find("#turn-2 .chunk")
	m.step()
	m.step()
	tab.Wait(`document.querySelectorAll(".ranking .selected").length === 3 && document.querySelector(".runs a").dataset.state === "ended"`)
	if err := <-done; err != nil {
		t.Error(err)
	}
	clean(t, tab, s.url)
}

func TestARunThatIsStoppedEndsWithWhatItHas(t *testing.T) {
	b := browser.Start(t)
	m := &model{script: detective(), steps: make(chan struct{}, 8)}
	s := serve(t, m, "--in", notes(t))
	tab := b.Open(s.url+"/", browser.Look{Still: true})
	tab.Wait(`document.querySelector("#policy").value === "chat"`)
	tab.Type(question)
	tab.Press("Enter")
	m.step()
	tab.Find("#turn-1 .chunk")
	tab.Wait(`!document.querySelector(".actions button").hidden`)
	tab.Click(".actions button")
	tab.Wait(`document.querySelector(".run").dataset.state === "ended" && document.querySelector(".figures").textContent.includes("stopped")`)
	tab.Wait(`document.querySelectorAll(".ranking li").length > 3 && document.querySelector(".actions button").hidden`)
	clean(t, tab, s.url)
}

func TestRolloutsAreToldApart(t *testing.T) {
	b := browser.Start(t)
	s := serve(t, &model{script: detective()}, "--in", notes(t))
	tab := b.Open(s.url+"/", browser.Look{Still: true})
	tab.Wait(`document.querySelector("#policy").value === "chat"`)
	tab.Eval(`document.querySelector("#policy").value = "query"`, nil)
	tab.Click(".more summary")
	tab.Eval(`document.querySelector("#rollouts").value = "2"`, nil)
	tab.Click("#question")
	tab.Type(question)
	tab.Press("Enter")
	tab.Wait(`document.querySelectorAll(".turns").length === 2 && !!document.querySelector("#rollout-2-turn-1 .chunk")`)
	tab.Wait(`document.querySelectorAll(".ranking .selected").length > 0 && document.querySelectorAll(".budget .bars li").length > 1`)
	clean(t, tab, s.url)
}

func TestAQuestionThatWaitsSaysSo(t *testing.T) {
	b := browser.Start(t)
	m := &model{script: detective(), steps: make(chan struct{}, 8)}
	s := serve(t, m, "--in", notes(t), "--max-runs", "1")
	var tabs []*browser.Tab
	for range 2 {
		tab := b.Open(s.url+"/", browser.Look{Still: true})
		tab.Wait(`document.querySelector("#policy").value === "chat"`)
		tab.Type(question)
		tab.Press("Enter")
		tab.Wait(`location.pathname.startsWith("/runs/")`)
		tabs = append(tabs, tab)
	}
	tabs[1].Wait(`document.querySelector(".pending").textContent === "Waiting: 1 question before this one"`)
	for range 8 {
		m.step()
	}
	for _, tab := range tabs {
		tab.Wait(`document.querySelectorAll(".ranking .selected").length === 3`)
		clean(t, tab, s.url)
	}
}

func TestALongDocumentOpensAtItsChunk(t *testing.T) {
	b := browser.Start(t)
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "## Rule %d\n\nWhoever opens gate %d closes it again, and writes down when and for whom it was.\n\n", i, i)
		if i == 220 {
			text.WriteString("The hippopotamus has a gate of its own.\n\n")
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rules.md"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, &model{script: detective()}, "--in", dir)
	tab := b.Open(s.url+"/", browser.Look{Still: true})
	tab.Wait(`document.querySelector("#policy").value === "chat"`)
	tab.Eval(`document.querySelector("#policy").value = "query"`, nil)
	tab.Type("hippopotamus")
	tab.Press("Enter")
	tab.Click(".ranking .selected .open")
	tab.Wait(`document.querySelector(".passage.here").textContent.includes("hippopotamus")`)
	tab.Wait(`(r => r.top >= 0 && r.top < innerHeight / 2)(document.querySelector(".passage.here").getBoundingClientRect())`)
	tab.Wait(`document.querySelectorAll(".passage").length > 10`)
	clean(t, tab, s.url)
}

func TestALockedPageSaysHowToGetIn(t *testing.T) {
	b := browser.Start(t)
	s := serve(t, &model{script: detective()}, "--in", notes(t), "--token", "correct horse battery staple")
	link, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	tab := b.Open(link.Scheme+"://"+link.Host+"/", browser.Look{Still: true})
	tab.Wait(`document.querySelector(".notice").innerText.includes("Open the link that winnow serve printed")`)
	tab.Go(s.url)
	tab.Wait(`document.querySelectorAll(".chip").length === 1 && location.pathname === "/"`)
}
