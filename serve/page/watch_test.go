package page_test

import (
	"context"
	"net/url"
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
