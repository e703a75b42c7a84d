package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Tab is a page that is open.
type Tab struct {
	b       *Browser
	session string

	mu       sync.Mutex
	problems []string
	requests []string
}

// patience is how long a page may take to become what is waited for, in
// milliseconds: far more than it takes, as a busy machine is not a failure.
const patience = 30_000

func (tab *Tab) must(method string, params, into any) {
	tab.b.t.Helper()
	tab.b.must(tab.session, method, params, into)
}

// happened notes what a test asks about later.
func (tab *Tab) happened(method string, params json.RawMessage) {
	var e struct {
		Type    string `json:"type"`
		Args    []struct{ Value, Description any }
		Details struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
		Entry   struct{ Level, Text, URL string }
		Request struct{ URL string }
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch {
	case method == "Runtime.exceptionThrown":
		tab.problems = append(tab.problems, "exception: "+e.Details.Text+" "+e.Details.Exception.Description)
	case method == "Runtime.consoleAPICalled" && (e.Type == "error" || e.Type == "warning" || e.Type == "assert"):
		tab.problems = append(tab.problems, fmt.Sprintf("console: %v", e.Args))
	case method == "Log.entryAdded" && (e.Entry.Level == "error" || e.Entry.Level == "warning"):
		tab.problems = append(tab.problems, "log: "+e.Entry.Text+" "+e.Entry.URL)
	case method == "Page.javascriptDialogOpening":
		tab.problems = append(tab.problems, "a dialog was opened")
	case method == "Network.requestWillBeSent":
		tab.requests = append(tab.requests, e.Request.URL)
	}
}

// Problems are the errors and warnings of the console, exceptions, and what the
// content security policy has refused.
func (tab *Tab) Problems() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.problems)
}

// Requests are the addresses that the page has asked for.
func (tab *Tab) Requests() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.requests)
}

// Look changes what the page is looked at with.
func (tab *Tab) Look(l Look) {
	tab.b.t.Helper()
	if l.Width == 0 {
		l.Width, l.Height = 1280, 800
	}
	if l.Scale == 0 {
		l.Scale = 1
	}
	scheme, motion := "light", "no-preference"
	if l.Dark {
		scheme = "dark"
	}
	if l.Still {
		motion = "reduce"
	}
	tab.must("Emulation.setDeviceMetricsOverride", object{"width": l.Width, "height": l.Height, "deviceScaleFactor": l.Scale, "mobile": l.Phone}, nil)
	tab.must("Emulation.setEmulatedMedia", object{"features": []object{
		{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}}}, nil)
}

// Go opens an address and waits until its scripts have run.
func (tab *Tab) Go(url string) {
	tab.b.t.Helper()
	var went struct {
		Error string `json:"errorText"`
	}
	tab.must("Page.navigate", object{"url": url}, &went)
	if went.Error != "" {
		tab.b.t.Fatalf("%s: %s", url, went.Error)
	}
	tab.Wait(`document.readyState === "complete" && location.href !== "about:blank"`)
}

// Eval evaluates an expression; into may be nil.
func (tab *Tab) Eval(expression string, into any) {
	tab.b.t.Helper()
	if err := tab.eval(expression, into); err != nil {
		tab.b.t.Fatalf("%s\n%v", expression, err)
	}
}

func (tab *Tab) eval(expression string, into any) error {
	var reply struct {
		Result  struct{ Value json.RawMessage }
		Details *struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	err := tab.b.pipe.call(tab.session, "Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &reply)
	if err != nil {
		return err
	}
	if d := reply.Details; d != nil {
		return fmt.Errorf("%s %s", d.Text, d.Exception.Description)
	}
	if into == nil || len(reply.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(reply.Result.Value, into)
}

// Wait waits until an expression is true. One that fails is not true yet.
func (tab *Tab) Wait(expression string) {
	tab.b.t.Helper()
	script := fmt.Sprintf(`new Promise(done => {
		const until = performance.now() + %d;
		const look = () => {
			let met = false, why = "";
			try { met = !!(%s); } catch (e) { why = String(e); }
			if (met || performance.now() > until) done({met, why});
			else setTimeout(look, 20);
		};
		look();
	})`, patience, expression)
	const again = 5 // a navigation ends what runs in the page before it
	for n := 0; ; n++ {
		var seen struct {
			Met bool
			Why string
		}
		err := tab.eval(script, &seen)
		if err == nil && seen.Met {
			return
		}
		if err == nil || n == again {
			var body string
			tab.eval(`document.body.innerText`, &body)
			tab.b.t.Fatalf("never became true: %s\n%v %s\nproblems: %q\nthe page reads:\n%s", expression, err, seen.Why, tab.Problems(), body)
		}
	}
}

// Find waits for an element; selector is CSS.
func (tab *Tab) Find(selector string) {
	tab.b.t.Helper()
	tab.Wait("!!document.querySelector(" + quote(selector) + ")")
}

// Text is what an element reads.
func (tab *Tab) Text(selector string) (text string) {
	tab.b.t.Helper()
	tab.Find(selector)
	tab.Eval("document.querySelector("+quote(selector)+").innerText", &text)
	return text
}

// Click clicks the middle of an element, as a person does: what lies above it is
// clicked instead.
func (tab *Tab) Click(selector string) {
	tab.b.t.Helper()
	tab.Find(selector)
	var at struct{ X, Y float64 }
	tab.Eval(`(async () => {
		const e = document.querySelector(`+quote(selector)+`);
		e.scrollIntoView({block: "center", behavior: "instant"});
		await new Promise(requestAnimationFrame);
		const r = e.getBoundingClientRect();
		return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
	})()`, &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		tab.must("Input.dispatchMouseEvent", object{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// Type types text where the focus is.
func (tab *Tab) Type(text string) {
	tab.b.t.Helper()
	tab.must("Input.insertText", object{"text": text}, nil)
}

// Press presses a key: a character, or a name such as Enter.
func (tab *Tab) Press(key string) {
	tab.b.t.Helper()
	codes := map[string]int{"Enter": 13, "Escape": 27, "Tab": 9}
	down := object{"type": "keyDown", "key": key, "windowsVirtualKeyCode": codes[key]}
	switch {
	case key == "Enter":
		down["text"] = "\r"
	case len(key) == 1:
		down["text"] = key
	}
	tab.must("Input.dispatchKeyEvent", down, nil)
	tab.must("Input.dispatchKeyEvent", object{"type": "keyUp", "key": key, "windowsVirtualKeyCode": codes[key]}, nil)
}

// Picture writes what the window shows to a PNG file.
func (tab *Tab) Picture(path string) {
	tab.b.t.Helper()
	var shot struct{ Data []byte }
	tab.must("Page.captureScreenshot", object{"format": "png"}, &shot)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tab.b.t.Fatal(err)
	}
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		tab.b.t.Fatal(err)
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always can be
	return string(b)
}
