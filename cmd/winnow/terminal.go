package main

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
)

// terminal is what is known of the place that output goes to.
type terminal struct {
	// columns is 0 where the output is no terminal.
	columns int
	colour  bool
}

func terminalOf(w io.Writer) terminal {
	f, ok := w.(*os.File)
	if !ok {
		return terminal{}
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return terminal{}
	}
	columns := int(size.Col)
	if columns == 0 { // some terminals do not say
		columns = 80
	}
	return terminal{columns: columns, colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (t terminal) is() bool { return t.columns > 0 }

// width is the number of columns to lay text out in.
func (t terminal) width() int {
	if !t.is() {
		return 100
	}
	return min(t.columns, 120)
}

// style is the number of an ANSI escape sequence.
type style string

const (
	bold    style = "1"
	dim     style = "2"
	red     style = "1;31"
	green   style = "32"
	yellow  style = "33"
	magenta style = "35"
	cyan    style = "36"
)

func (t terminal) paint(s style, text string) string {
	if !t.colour || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// safe makes a document's text harmless on a terminal, which would obey the
// escape sequences in it. Text that goes elsewhere stays as it is.
func (t terminal) safe(text string) string {
	if !t.is() || strings.IndexFunc(text, unprintable) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func unprintable(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
