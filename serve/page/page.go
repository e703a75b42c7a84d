// Package page is the web page on which people ask, watch a search and read what
// it found, and the same page as one file to share.
//
// It is plain modules of JavaScript that the browser loads as they are: nobody
// needs a build step, and what runs is what is read here. Everything that is
// shown comes from a run's events, so that one renderer draws a run that goes on,
// one of last week and one that was exported. What was traded away is a
// framework's comfort, for a page that works offline, loads nothing from
// elsewhere, and makes elements in one place (dom.js) that can't take markup.
package page

import (
	"embed"
	"io/fs"
)

//go:embed files
var embedded embed.FS

// Files are the files of the page, index.html at the top.
func Files() fs.FS {
	files, err := fs.Sub(embedded, "files")
	if err != nil {
		panic(err) // the name is right or this never worked
	}
	return files
}
