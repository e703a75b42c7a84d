package ingest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

const guide = `---
title: "The guide: part one"
aliases:
  - Handbook
  - 'The ''old'' guide'
tags: [search, "a, b", 3]
draft: false
weight: 2
author:
  name: Ada
  born: 1815-12-10
summary: >
  Folded
  text
---
# The guide

See [the setup](../setup.md#first "Setup") and [site](https://example.com/a_(b)).

` + "```sh\n# not a heading\n[not](a.md)\n\n```" + `

Setext two
----------

![an image](x.png) [by name][setup], [setup], <https://example.org/x>, and [[Other Page#part|other]].

### Deep [link](a/b%20c.md) ` + "`code`" + ` ##

` + "`[code](no.md)`" + ` https://example.net/path.

[setup]: ../setup.md
`

func TestMarkdown(t *testing.T) {
	doc := readOne(t, "docs/guide/one.md", guide)
	if doc.Text() != guide {
		t.Error("the text is not the file's")
	}
	if doc.Title != "The guide: part one" || doc.Path != "docs/guide/one.md" || doc.ID != doc.Path {
		t.Errorf("title %q, id %q, path %q", doc.Title, doc.ID, doc.Path)
	}
	if want := []string{"Handbook", "The 'old' guide"}; !reflect.DeepEqual(doc.Names, want) {
		t.Errorf("names %q", doc.Names)
	}
	wantMetadata := winnow.Metadata{
		"type": "markdown", "folder": "docs/guide", "tags": "search, a, b, 3", "draft": false, "weight": int64(2),
		"author.name": "Ada", "author.born": "1815-12-10", "summary": "Folded\ntext",
	}
	if !reflect.DeepEqual(doc.Metadata, wantMetadata) {
		t.Errorf("metadata %v", doc.Metadata)
	}
	var targets []string
	for _, l := range doc.Links {
		targets = append(targets, l.Target)
		if l.Kind != winnow.LinkHyper || !strings.ContainsAny(guide[l.At:l.At+1], "[h") {
			t.Errorf("link %+v is at %q", l, guide[l.At:l.At+10])
		}
	}
	want := []string{
		"docs/setup.md", "https://example.com/a_(b)", "docs/setup.md", "docs/setup.md", "https://example.org/x",
		"Other Page", "docs/guide/a/b c.md", "https://example.net/path",
	}
	if !reflect.DeepEqual(targets, want) {
		t.Errorf("links %q", targets)
	}
}

func TestMarkdownHeadings(t *testing.T) {
	body := words(90) + "\n\n"
	text := "# Title\n\n" + body + "## First *part*\n\n" + body + "### Detail {#x}\n" + body +
		"```\n# no\n```\n\nSecond\n---\n\n" + body + "#tag is no heading\n"
	doc := readOne(t, "a.md", text)
	want := []string{"Title", "Title > First part", "Title > First part > Detail", "Title > Second"}
	if got := headings(doc); !reflect.DeepEqual(got, want) {
		t.Fatalf("headings %q", got)
	}
	if doc.Title != "Title" {
		t.Errorf("title %q", doc.Title)
	}
	if c := doc.Chunks[3]; !strings.HasPrefix(c.Text, "Second\n---") {
		t.Errorf("the section begins with %q", c.Text[:20])
	}
}

// A fenced block is cut at its blank lines only if it does not fit.
func TestFencedBlocksStayTogether(t *testing.T) {
	code := "```go\n" + strings.Repeat("x := compute(1)\n\n", 40) + "```\n\n"
	doc := readOne(t, "a.md", strings.Repeat(words(60)+"\n\n", 4)+code+words(60)+"\n")
	for _, c := range doc.Chunks {
		if strings.Count(c.Text, "```")%2 != 0 {
			t.Fatalf("a chunk ends inside a block: %q", c.Text)
		}
	}
}

func TestFrontMatterThatIsNone(t *testing.T) {
	for _, text := range []string{"---\n", "---\nno end: here\n", "----\ntitle: x\n---\n", "text\n---\ntitle: x\n---\n"} {
		if doc := readOne(t, "note.md", text); doc.Title != "note" {
			t.Errorf("%q has the title %q", text, doc.Title)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ id, reference, want string }{
		{"a/b.md", "c.md", "a/c.md"},
		{"a/b.md", "../c.md#x", "c.md"},
		{"a/b.md", "/c.md?q=1", "c.md"},
		{"a/b.md", "./", "a"},
		{"b.md", "#x", ""},
		{"b.md", "https://x.org/a b", "https://x.org/a b"},
		{"b.md", "mailto:a@b.c", "mailto:a@b.c"},
		{"b.md", "%zz", "%zz"},
	} {
		if got := resolve(c.id, c.reference); got != c.want {
			t.Errorf("resolve(%q, %q) = %q, want %q", c.id, c.reference, got, c.want)
		}
	}
}
