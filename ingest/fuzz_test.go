package ingest

import (
	"strings"
	"testing"
)

// fuzzReader feeds a reader with anything: it must not panic, and what it reads
// must be documents that keep their promises.
func fuzzReader(f *testing.F, name string, seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, _, err := Read(name, data)
		if err != nil && len(docs) > 0 {
			t.Fatal("both documents and an error")
		}
		for _, doc := range docs {
			check(t, doc)
		}
	})
}

func FuzzText(f *testing.F) {
	fuzzReader(f, "a.txt", "plain", "\xff\xfea\x00b\x00", "Caf\xe9", "\xef\xbb\xbfx")
}

func FuzzUnnamed(f *testing.F) {
	fuzzReader(f, "a", "#!/bin/sh\n", "<html>", reply, mailbox, "%PDF-1.4\n")
}

func FuzzMarkdown(f *testing.F) {
	fuzzReader(f, "a/b.md", guide, "[[[", "[a][b]\n\n[b]: <c>", "---\na:\n- b\n c: [x, 'y\n---\n", "`` `a` [b](c) ``", "A\n=\n")
}

func FuzzHTML(f *testing.F) {
	fuzzReader(f, "a/b.html", "<h1>x</h1><p><a href='b'>c</a>", "<pre>\n a</pre><table><td>1<td>2", "<meta charset=utf-7>\xff", "<li><li><a href=x>")
}

func FuzzCode(f *testing.F) {
	fuzzReader(f, "a.ts", "import x from './x'\nexport class A<T> {\n  f(a) {\n}\n", "// c\nfunction")
}

func FuzzGo(f *testing.F) {
	fuzzReader(f, "a.go", "package a\nimport (\n\"x\"\n)\nfunc (t *T) F() {}\nfunc (", "func ()\ntype (\n")
}

func FuzzPython(f *testing.F) {
	fuzzReader(f, "a.py", "from ... import x\nclass A:\n    def f(self):\n        pass\n", "import \nfrom .")
}

func FuzzCSV(f *testing.F) { fuzzReader(f, "a.csv", "a,b\n1,2\n", `"`) }

func FuzzCorpus(f *testing.F) {
	fuzzReader(f, "a.jsonl", `{"id":1,"text":"x","metadata":{"a":[1,{"b":null}]}}`, `{"id":"a","text":"x"}`+"\n{\n", `{"_id":"","id":[],"text":""}`)
}

func FuzzSession(f *testing.F) {
	fuzzReader(f, "a.jsonl", `{"role":"user","content":"x"}`, `{"type":"user","message":{"content":[{"type":"tool_result","content":[{}]}]}}`,
		`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":[true]}"}}]}]}`)
}

func FuzzMail(f *testing.F) {
	fuzzReader(f, "a.eml", reply, "Subject: =?x?b?y?=\n\nx", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\nContent-Type: text/html\n\n<a href=x>y",
		"Content-Transfer-Encoding: base64\n\nAA=A")
}

func FuzzMbox(f *testing.F) { fuzzReader(f, "a.mbox", mailbox, "From a 10:00\n\nFrom b 11:11\n") }

// FuzzDOCX fuzzes the parts; the archive is the standard library's.
func FuzzDOCX(f *testing.F) {
	f.Add(wordBody(wordParagraph("berschrift1", "One")+"<w:tbl><w:tr><w:tc>"), "<x/>")
	f.Add("<w:p><w:r><w:t>a</w:t><w:tab/></w:r></w:p>", `<style styleId="a"><name val="heading 99999999999999999999"/></style>`)
	f.Fuzz(func(t *testing.T, body, styles string) {
		docs, _, err := Read("a.docx", wordFile(t, map[string]string{"word/document.xml": body, "word/styles.xml": styles, "docProps/core.xml": styles}))
		if err != nil {
			return
		}
		for _, doc := range docs {
			check(t, doc)
		}
	})
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.log\n!keep.log\n/a/**/b/\n", "a/x/y/b/c.log")
	f.Add("[!a]\n\\#x\\ \n**/**/**\n", "#x ")
	f.Fuzz(func(t *testing.T, patterns, name string) {
		r := &rules{patterns: parsePatterns(patterns, false)}
		name = strings.Trim(name, "/")
		if v := r.check(name, true); len(r.patterns) == 0 && v != unmatched {
			t.Fatalf("no pattern gives %v", v)
		}
	})
}
