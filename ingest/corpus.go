package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

// corpusFormat reads a JSONL corpus: one document per line with "id" (or BEIR's
// "_id"), "title", "text" and, if wanted, "metadata". Other fields with scalar
// values are metadata too. Ids are kept verbatim, and documents have no path:
// their lines are not the file's.
var corpusFormat = format{records: readCorpusBlock, boundary: lastLine}

// lastLine returns the end of the last whole line of a block.
func lastLine(block []byte) int { return bytes.LastIndexByte(block, '\n') + 1 }

// isCorpus reports whether a JSONL file begins with a document.
func isCorpus(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(data, "\xEF\xBB\xBF \r\n\t"), []byte("\n"))
	if isWhole := len(line) < len(data); !isWhole && !json.Valid(line) {
		// The first line is longer than what was looked at.
		return bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"text"`)) &&
			(bytes.Contains(line, []byte(`"id"`)) || bytes.Contains(line, []byte(`"_id"`)))
	}
	_, err := parseCorpusLine(line)
	return err == nil
}

// readCorpusBlock reads the documents in whole lines. Lines that are none are
// warned of and left out.
func readCorpusBlock(src *source, block []byte, line int) []*draft {
	var drafts []*draft
	if line == 1 {
		block = bytes.TrimPrefix(block, []byte("\xEF\xBB\xBF"))
	}
	for ; len(block) > 0; line++ {
		var record []byte
		record, block, _ = bytes.Cut(block, []byte("\n"))
		if len(bytes.TrimSpace(record)) == 0 {
			continue
		}
		d, err := parseCorpusLine(record)
		if err != nil {
			src.warn("line %d is left out: %v", line, err)
			continue
		}
		if len(d.text) > src.maxText {
			d.text = d.text[:runeStart(d.text, src.maxText)]
			src.warn("line %d: only the first %s of text are indexed", line, byteSize(src.maxText))
		}
		drafts = append(drafts, d)
	}
	return drafts
}

func parseCorpusLine(record []byte) (*draft, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(record, &fields); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	d := &draft{id: jsonText(fields["id"])}
	if d.id == "" {
		d.id = jsonText(fields["_id"])
	}
	if d.id == "" {
		return nil, errors.New(`it has no "id"`)
	}
	raw, ok := fields["text"]
	if !ok || len(raw) == 0 || raw[0] != '"' {
		return nil, errors.New(`it has no "text"`)
	}
	d.text, d.title = jsonText(raw), jsonText(fields["title"])
	for key, raw := range fields {
		switch key {
		case "id", "title", "text":
			continue
		case "_id":
			if _, both := fields["id"]; !both {
				continue
			}
		case "metadata":
			key = ""
		default:
			if raw[0] == '{' || raw[0] == '[' {
				continue
			}
		}
		value, err := decodeJSON(raw)
		if err != nil {
			return nil, err
		}
		if _, scalar := value.(map[string]any); key == "" && !scalar {
			continue
		}
		if d.metadata == nil {
			d.metadata = winnow.Metadata{}
		}
		flatten(d.metadata, key, value)
	}
	return d, nil
}

// jsonText returns the text of a string, or of a number as it is written.
func jsonText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch c := raw[0]; {
	case c == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw): // most are plain
		return string(raw[1 : len(raw)-1])
	case c == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return s
	case c == '-' || c >= '0' && c <= '9':
		return string(raw)
	}
	return ""
}

// decodeJSON decodes a value with its numbers as they are written.
func decodeJSON(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return value, nil
}
