package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

func highlight(t *testing.T, query, text string, width int) []row {
	t.Helper()
	h, err := newHighlighter("", query)
	if err != nil {
		t.Fatal(err)
	}
	return h.snippet(&winnow.Chunk{Text: text, Lines: [2]int{11, 99}}, width)
}

func TestASnippetShowsTheLinesWithMostOfTheWords(t *testing.T) {
	text := "about commits\n\nnothing here\nmore nothing\n\n\tcommits survive\n\ta crash\n"
	rows := highlight(t, "does a commit survive crashes", text, 80)
	if len(rows) != 2 || rows[0].line != 16 || rows[0].text != "commits survive" || rows[1].text != "a crash" {
		t.Fatalf("it shows %+v", rows)
	}
	got := ""
	for _, s := range rows[0].spans {
		got += "[" + rows[0].text[s[0]:s[1]] + "]"
	}
	if got != "[commits][survive]" {
		t.Errorf("it marks %s", got)
	}
}

func TestASnippetWithoutAMatchBeginsTheChunk(t *testing.T) {
	rows := highlight(t, "zeppelin", "\n\none\ntwo\nthree\nfour\n", 80)
	if len(rows) == 0 || rows[0].text != "one" {
		t.Errorf("it shows %+v", rows)
	}
	if rows := highlight(t, "zeppelin", "", 80); len(rows) != 0 {
		t.Errorf("an empty chunk shows %+v", rows)
	}
}

func TestMatchesInChineseAreMarkedAsOne(t *testing.T) {
	rows := highlight(t, "数据库", "这个数据库很快", 80)
	if len(rows) != 1 || len(rows[0].spans) != 1 || rows[0].text[rows[0].spans[0][0]:rows[0].spans[0][1]] != "数据库" {
		t.Errorf("it marks %+v", rows)
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("commit", "a commit\n\tand  more", 10)
	f.Add("数据", "数据库\xff\xfe é ﬁ", 3)
	f.Add("数据", "数据库", 1)
	f.Fuzz(func(t *testing.T, query, text string, width int) {
		if width < 1 || width > 200 {
			return
		}
		h, err := newHighlighter("", query)
		if err != nil {
			t.Fatal(err)
		}
		rows := h.snippet(&winnow.Chunk{Text: text, Lines: [2]int{1, 1}}, width)
		if len(rows) > snippetRows {
			t.Errorf("%d rows", len(rows))
		}
		for _, r := range rows {
			if utf8.RuneCountInString(r.text) > width {
				t.Errorf("%q is wider than %d", r.text, width)
			}
		}
		terminal{columns: width, colour: true}.render(rows, "")
	})
}

func TestHitsOnATerminalAreColouredAndHarmless(t *testing.T) {
	stage(t)
	write(t, "a.md", "# Apples\n\nApples \x1b]0;owned\x07 are red.\n")
	var screen, stderr bytes.Buffer
	c := &cli{stdout: &screen, stderr: &stderr, outTerminal: terminal{columns: 80, colour: true}}
	if code := c.run(t.Context(), []string{"query", "apple"}, nil); code != 0 {
		t.Fatal(stderr.String())
	}
	if !strings.Contains(screen.String(), "\x1b[1;31mApples\x1b[0m") {
		t.Errorf("the word is not marked in %q", screen.String())
	}
	if strings.Contains(screen.String(), "\x1b]0;") || strings.Contains(screen.String(), "\x07") {
		t.Errorf("an escape sequence of the document got through: %q", screen.String())
	}
	screen.Reset()
	c = &cli{stdout: &screen, stderr: &stderr, outTerminal: terminal{columns: 80, colour: true}}
	c.run(t.Context(), []string{"grep", "red"}, nil)
	if !strings.Contains(screen.String(), "\x1b[1;31mred\x1b[0m") || strings.Contains(screen.String(), "\x07") {
		t.Errorf("grep prints %q", screen.String())
	}
}
