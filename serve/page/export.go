package page

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

// Export is a run to be written as one page.
type Export struct {
	Run   string        `json:"run"`
	Began time.Time     `json:"began"`
	State wire.RunState `json:"state"`
	// NoText leaves out what the documents say, and everything that may repeat
	// it.
	NoText bool `json:"no_text"`
	// Events are all of the run's.
	Events []winnow.Event `json:"events"`
}

// shell is the page around the script. Its policy lets nothing run but the
// script whose hash it names, and lets nothing be fetched.
const shell = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="winnow export">
<title>Winnow</title>
<style>%s</style>
</head>
<body>
<noscript>This page needs JavaScript, all of which it carries.</noscript>
<script type="application/json" id="record">%s</script>
<script type="module">%s</script>
</body>
</html>
`

// Write writes the page.
func (e *Export) Write(w io.Writer) error {
	files := Files()
	script, err := bundle(files, "shared.js")
	if err != nil {
		return err
	}
	style, err := fs.ReadFile(files, "style.css")
	if err != nil {
		return err
	}
	carried := *e
	if e.NoText {
		carried.Events = withoutText(e.Events)
	}
	// The encoder writes <, > and & as \u003c and so on: no text of a document
	// can end the element that it stands in.
	record, err := json.Marshal(carried)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, shell, hash(script), hash(string(style)), style, record, script)
	return err
}

// hash names a text in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
