package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/policytest"
	"github.com/winnow-search/winnow/policy/scripted"
	"github.com/winnow-search/winnow/serve/browser"
)

// attacks are what a stranger may write into a document to run a script of his
// own in the page that shows it. Each would set window.taken.
var attacks = []string{
	`<script>taken=1</script>`,
	`</script><script>taken=1</script>`,
	`<img src=x onerror=taken=1>`,
	`<svg/onload=taken=1>`,
	`"><img src=x onerror="taken=1">`,
	`' onmouseover='taken=1' x='`,
	`javascript:taken=1//`,
	`[click](javascript:taken=1)`,
	`<a href="javascript:taken=1" id=question>x</a>`,
	`<iframe srcdoc="<script>parent.taken=1</script>"></iframe>`,
	`<!--<script>taken=1`,
	`]]><script>taken=1</script>`,
	`{{constructor.constructor('taken=1')()}}`,
	`<style>@import 'http://192.0.2.1/';*{display:none}</style>`,
	`<link rel=stylesheet href=http://192.0.2.1/x.css>`,
	`<meta http-equiv=refresh content="0;url=http://192.0.2.1/">`,
	`<base href=http://192.0.2.1/>`,
	"\u2028taken=1\u2029",
	"\u202e<script>taken=1</script>",
	`__proto__`,
	`../../v1/runs`,
}

// hostile writes documents in which everything that has a name is an attack: ids,
// titles, texts and metadata, and the names of files.
func hostile(t *testing.T) (folder, corpus string) {
	t.Helper()
	dir := t.TempDir()
	folder, corpus = filepath.Join(dir, `<img src=x onerror=taken=1>`), filepath.Join(dir, "corpus.jsonl")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i, attack := range attacks {
		line, err := json.Marshal(map[string]any{
			"id": fmt.Sprint(i, attack), "title": attack, "text": "honey " + attack + " honey",
			"metadata": map[string]any{attack: attack, "note": attack},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		name := fmt.Sprint(i, " ", strings.NewReplacer("/", "∕", "\u2028", "", "\u2029", "").Replace(attack), ".md")
		if err := os.WriteFile(filepath.Join(folder, name), []byte("# "+attack+"\n\nhoney "+attack+"\n\n## "+attack+"\n\nmore honey\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(corpus, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder, corpus
}

// gullible repeats attacks in all that a model writes.
func gullible(attack string) []func(handles) policytest.Reply {
	var searches []winnow.Call
	// Ten new chunks each: enough that every document is shown.
	for _, words := range []string{"honey", "more honey", "honey " + attack, "taken honey", "honey script"} {
		searches = append(searches, scripted.Search(words))
	}
	return []func(handles) policytest.Reply{
		func(handles) policytest.Reply { return policytest.Reply{Reasoning: attack, Calls: searches} },
		func(seen handles) policytest.Reply {
			return policytest.Reply{Text: attack, Calls: []winnow.Call{
				scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c2", "c3"}}), scripted.Call("grep_corpus", map[string]any{"pattern": "(" + attack}),
				scripted.Call("follow_links", map[string]any{"chunk_ids": []string{"c1"}, "question": attack}), {Tool: attack, Arguments: attack}}}
		},
		func(handles) policytest.Reply {
			var answer strings.Builder
			for i := 1; i <= 30; i++ {
				fmt.Fprintf(&answer, "<Document id=c%d><Justification>%s</Justification></Document>\n", i, attack)
			}
			return policytest.Reply{Text: answer.String()}
		},
	}
}

// untouched fails if any attack did what it was written for.
func untouched(t *testing.T, tab *browser.Tab) {
	t.Helper()
	var found []string
	tab.Eval(`[
		...(window.taken ? ["a script ran"] : []),
		...[...document.querySelectorAll("iframe, object, embed, base, link[href*='192.0.2'], main script, main style, dialog script, main img, main meta")].map(e => e.outerHTML),
		...[...document.querySelectorAll("*")].flatMap(e => [...e.attributes]).filter(a => /^on/.test(a.name) || /^\s*javascript:/i.test(a.value)).map(a => a.name + "=" + a.value),
	]`, &found)
	for _, f := range found {
		t.Errorf("an attack got through: %s", f)
	}
}

func TestHostileDocumentsDoNothing(t *testing.T) {
	b := browser.Start(t)
	const attack = `</script><img src=x onerror=taken=1>`
	m := &model{script: gullible(attack)}
	folder, corpus := hostile(t)
	s := serve(t, m, "--in", folder, "--in", corpus)
	tab := b.Open(s.url+"/", browser.Look{Still: true})
	tab.Wait(`document.querySelectorAll(".chip").length === 2`)
	untouched(t, tab)
	tab.Type("honey " + attack)
	tab.Press("Enter")
	tab.Wait(`document.querySelectorAll(".ranking .selected").length > 15`)
	tab.Eval(`for (const d of document.querySelectorAll("details")) d.open = true`, nil)
	var shown string
	tab.Eval(`document.querySelector("main").innerText`, &shown)
	for _, a := range attacks[:6] {
		if !strings.Contains(shown, a) {
			t.Errorf("what can't be shown as it is: %s", a)
		}
	}
	untouched(t, tab)
	// Every document opens as text.
	for i := range 12 {
		tab.Eval(fmt.Sprintf(`document.querySelectorAll(".ranking .open")[%d].click()`, i), nil)
		tab.Wait(`document.querySelector(".reader[open] .passage.here")?.textContent.includes("honey")`)
		untouched(t, tab)
		tab.Press("Escape")
		tab.Wait(`!document.querySelector(".reader[open]")`)
	}
	tab.Press("c")
	tab.Wait(`document.querySelectorAll(".collections .panel").length === 2`)
	untouched(t, tab)
	clean(t, tab, s.url)

	// Nor do they in the page that is shared.
	for _, flags := range [][]string{nil, {"--no-text"}} {
		out := filepath.Join(t.TempDir(), "run.html")
		if err := s.command(append([]string{"export", "last", "-o", out}, flags...)...).Run(); err != nil {
			t.Fatal(err)
		}
		alone := b.Open("file://"+out, browser.Look{Still: true})
		alone.Wait(`document.querySelectorAll(".ranking .selected").length > 15`)
		alone.Eval(`for (const d of document.querySelectorAll("details")) d.open = true`, nil)
		untouched(t, alone)
		clean(t, alone, "file://")
	}
}
