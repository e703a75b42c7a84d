package ingest

import (
	"bytes"
	"path"
	"strings"
)

// readText reads prose without markup.
func readText(src *source) (*draft, error) {
	return &draft{title: stem(src.id), text: src.text()}, nil
}

// readLines reads records: logs, tables, settings, structured data. A table's
// columns are the heading of all its chunks, because a row says little without
// them.
func readLines(src *source) (*draft, error) {
	d := &draft{title: path.Base(src.id), text: src.text(), layout: lines}
	switch strings.ToLower(path.Ext(src.id)) {
	case ".csv", ".tsv":
		columns := strings.FieldsFunc(d.text[:nextLine(d.text, 0)], func(r rune) bool {
			return r == ',' || r == ';' || r == '\t' || r == '"'
		})
		d.sections = []section{{heading: oneLine(strings.Join(columns, ", "))}}
	}
	return d, nil
}

// holdsKey reports whether a text file is a private key, whatever its name.
func holdsKey(data []byte) bool {
	head := data[:min(len(data), 256)]
	i := bytes.Index(head, []byte("-----BEGIN "))
	return i >= 0 && bytes.Contains(head[i:], []byte("PRIVATE KEY"))
}
