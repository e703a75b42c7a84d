// Package browser drives a Chromium from tests: what a page does is only known
// where it runs.
//
// It speaks the DevTools protocol over the browser's own pipe, a JSON message and
// a zero byte at a time, which takes two files here where a library would bring
// a dozen modules into go.mod. What was traded away is everything that a test of
// one page does not need: frames, downloads, several windows.
package browser

import (
	"os"
	"os/exec"
	"testing"
)

// Browser is a running Chromium with a profile of its own.
type Browser struct {
	t    testing.TB
	pipe *pipe
}

// wanted is the variable that asks for tests in a browser. With it set, a
// machine without a browser fails.
const wanted = "WINNOW_E2E"

// Start starts a browser that ends with the test. The test is skipped unless
// WINNOW_E2E is set.
func Start(t testing.TB) *Browser {
	t.Helper()
	if os.Getenv(wanted) == "" {
		t.Skip("set " + wanted + "=1, with chromium on PATH, to test in a real browser")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Fatal(wanted + " is set, and there is no chromium on PATH")
	}
	cmd := exec.Command(program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(),
		"--no-sandbox", // it opens nothing but our own pages, and in containers there is none
		"--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", "about:blank")
	toBrowser, commands, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	replies, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // file descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	b := &Browser{t: t, pipe: newPipe(commands, replies)}
	t.Cleanup(func() {
		b.pipe.call("", "Browser.close", nil, nil) // it may be gone already
		commands.Close()
		cmd.Wait()
		b.pipe.wait()
	})
	return b
}

// Look is what a page is looked at with.
type Look struct {
	// Width and Height are of the window in CSS pixels; 0 means 1280 × 800.
	Width, Height int
	Dark          bool
	Phone         bool
	// Still asks for reduced motion, as for pictures.
	Still bool
	// Scale is device pixels for a CSS pixel; 0 means 1.
	Scale float64
}

// Open opens a page in a tab of its own, apart from the cookies of others.
func (b *Browser) Open(url string, look Look) *Tab {
	b.t.Helper()
	var context struct {
		ID string `json:"browserContextId"`
	}
	b.must("", "Target.createBrowserContext", nil, &context)
	var target struct {
		ID string `json:"targetId"`
	}
	b.must("", "Target.createTarget", object{"url": "about:blank", "browserContextId": context.ID}, &target)
	var session struct {
		ID string `json:"sessionId"`
	}
	b.must("", "Target.attachToTarget", object{"targetId": target.ID, "flatten": true}, &session)
	tab := &Tab{b: b, session: session.ID}
	b.pipe.listen(session.ID, tab.happened)
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		tab.must(domain+".enable", nil, nil)
	}
	tab.Look(look)
	tab.Go(url)
	return tab
}

func (b *Browser) must(session, method string, params, into any) {
	b.t.Helper()
	if err := b.pipe.call(session, method, params, into); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}
