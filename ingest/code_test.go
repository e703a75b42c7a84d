package ingest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// body is the inside of a function that is long enough for a chunk.
func body(indent string) string {
	var b strings.Builder
	for i := range 15 {
		fmt.Fprintf(&b, "%svalue%d = compute(value%d, %d)\n", indent, i, i+1, i*7)
	}
	return b.String()
}

func TestCode(t *testing.T) {
	for _, c := range []struct {
		file, code string
		headings   []string
		names      []string
		imports    []string
	}{
		{
			"pkg/a.go",
			"package a\n\nimport (\n\t\"fmt\"\n\tx \"example.com/x\"\n)\n\n// Table is one.\ntype Table struct {\n" + body("\t") + "}\n\n" +
				"// Encode does.\nfunc (t *Table) Encode() {\n" + body("\t") + "}\n\nfunc helper() {\n" + body("\t") + "}\n",
			[]string{"Table", "Table.Encode", "helper"}, []string{"Table", "Encode", "helper"}, []string{"fmt", "example.com/x"},
		},
		{
			"pkg/sub/a.py",
			"import os.path as p\nfrom ..base import Thing\nfrom . import other\n\n@decorated\nclass Reader(Base):\n    def open(self):\n" + body("        ") +
				"\n    async def close(self):\n" + body("        ") + "\ndef main():\n" + body("    "),
			[]string{"Reader > open", "Reader > close", "main"}, []string{"Reader", "open", "close", "main"},
			[]string{"os.path", "pkg/base", "pkg/sub"},
		},
		{
			"web/a.ts",
			"import { x } from './lib/x';\nimport React from \"react\";\nexport * from '../y';\nconst z = require('z');\n\n" +
				"export default class View {\n  render(props: Props) {\n" + body("    ") + "  }\n}\n\nexport async function load() {\n" + body("  ") +
				"}\n\nexport const fetchAll = async () => {\n" + body("  ") + "}\n",
			[]string{"View > render", "load", "fetchAll"}, []string{"View", "render", "load", "fetchAll"},
			[]string{"web/lib/x", "react", "y", "z"},
		},
		{
			"a.rs",
			"use std::io::Read;\n\nimpl<T> Display for Table<T> {\n    fn encode(&self) {\n" + body("        ") + "    }\n}\n\npub struct Row {\n" + body("    ") + "}\n",
			[]string{"Table > encode", "Row"}, []string{"Table", "encode", "Row"}, []string{"std::io::Read"},
		},
		{
			"a.c",
			"#include <stdio.h>\n#include \"b.h\"\n\n/* Adds. */\nstatic int add_all(struct list *l,\n                   int n)\n{\n" + body("\t") + "\tif (n) {\n\t}\n}\n\nint main(void)\n{\n" + body("\t") + "}\n",
			[]string{"add_all", "main"}, []string{"add_all", "main"}, []string{"stdio.h", "b.h"},
		},
		{
			"A.java",
			"package x;\nimport java.util.List;\n\npublic class A {\n    public Map<String, Integer> names(int n) {\n" + body("        ") + "    }\n\n    private A() {\n" + body("        ") + "    }\n}\n",
			[]string{"A > names", "A > A"}, []string{"names"}, []string{"java.util.List"},
		},
	} {
		t.Run(c.file, func(t *testing.T) {
			doc := readOne(t, c.file, c.code)
			if doc.Text() != c.code {
				t.Error("the text is not the file's")
			}
			if got := headings(doc); !reflect.DeepEqual(got, c.headings) {
				t.Errorf("headings %q", got)
			}
			if !reflect.DeepEqual(doc.Names, c.names) {
				t.Errorf("names %q", doc.Names)
			}
			var imports []string
			for _, l := range doc.Links {
				if l.Kind == winnow.LinkImport {
					imports = append(imports, l.Target)
				}
			}
			if !reflect.DeepEqual(imports, c.imports) {
				t.Errorf("imports %q", imports)
			}
			if doc.Metadata["type"] != "code" || doc.Metadata["language"] == "" {
				t.Errorf("metadata %v", doc.Metadata)
			}
		})
	}
}

// What looks like the head of a function and is none begins no section.
func TestLinesThatDeclareNothing(t *testing.T) {
	for name, lines := range map[string]string{
		"a.ts":   "describe('x', () => {\nif (a) {\n} else if (b) {\nfor (;;) {\nreturn f(\nx = f(\nfoo.bar(x) {\nfoo(bar)\nawait f(x) {\n",
		"a.c":    "int f(void);\nwhile (x) {\nswitch (y) {\nprintf(\"%d\", x)\n",
		"a.go":   "\tfunc() {}\n\tvar x int\n// func F() {}\nreturn\n",
		"a.py":   "define = 1\nclassy\n# def f():\nx = lambda: 1\n",
		"a.java": "this(a) {\nsuper(b) {\nnew Thread(x) {\n",
	} {
		if doc := readOne(t, name, lines); len(doc.Names) > 0 || doc.Chunks[0].Heading != "" {
			t.Errorf("%s declares %q", name, doc.Names)
		}
	}
}

// A function that is longer than a chunk is cut at its blank lines, and all of
// its chunks bear its name.
func TestALongFunctionIsCutAtBlankLines(t *testing.T) {
	code := "package a\n\nfunc long() {\n" + strings.Repeat(body("\t")+"\n", 6) + "}\n"
	doc := readOne(t, "a.go", code)
	if len(doc.Chunks) < 2 {
		t.Fatalf("%d chunks", len(doc.Chunks))
	}
	for _, c := range doc.Chunks[:len(doc.Chunks)-1] {
		if !strings.HasSuffix(c.Text, ")\n\n") || c.Heading != "long" {
			t.Errorf("a chunk of %q ends with %q", c.Heading, c.Text[len(c.Text)-20:])
		}
	}
}

func TestLanguages(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"a.PY", "", "python"}, {"Makefile", "", "make"}, {"Dockerfile", "", "docker"}, {"x/CMakeLists.txt", "", ""},
		{"run", "#!/usr/bin/env python3\nx", "python"}, {"run", "#!/bin/bash -e\nx", "shell"}, {"run", "echo", ""},
		{"a.tsx", "", "typescript"}, {"a.unknown", "", ""},
	} {
		content := c.head
		if content == "" {
			content = "some text"
		}
		doc := readOne(t, c.name, content)
		if got, _ := doc.Metadata["language"].(string); got != c.want {
			t.Errorf("%s with %q is %q, want %q", c.name, c.head, got, c.want)
		}
	}
}

func TestMinifiedCodeIsSkipped(t *testing.T) {
	_, _, err := Read("app.js", []byte(strings.Repeat("function a(){return 1};", 2000)))
	if err != skipGenerated {
		t.Fatalf("error %v", err)
	}
}
