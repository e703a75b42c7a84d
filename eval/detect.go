package eval

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// reader fills a loader from a path of its format.
type reader func(l *loader, path string) error

// detect looks at the names in a folder and at the first record of a file; a
// file's own name says nothing.
func detect(path string, folder bool) (reader, Format) {
	if !folder {
		return detectFile(path)
	}
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(path, name))
		return err == nil
	}
	switch {
	case has("questions.jsonl"):
		return readFolder, FormatFolder
	case has("queries.jsonl") && has("qrels"):
		return readBEIR, FormatBEIR
	case has("MultiHopRAG.json"):
		return readMultiHopRAG, FormatMultiHopRAG
	case len(matching(path, "topics*")) > 0 && len(matching(path, "qrels*")) > 0:
		return readTREC, FormatTREC
	}
	for _, file := range matching(path, "*.json") {
		if _, format := detectFile(file); format == FormatTasks {
			return readTasks, FormatTasks
		}
	}
	return nil, ""
}

func detectFile(path string) (reader, Format) {
	if filepath.Ext(path) == ".tsv" && filepath.Base(filepath.Dir(path)) == "qrels" {
		return readBEIR, FormatBEIR
	}
	if filepath.Ext(path) == ".txt" {
		return readLines, FormatFolder
	}
	keys, array := firstKeys(path)
	has := func(key string) bool { _, ok := keys[key]; return ok }
	switch {
	case array && has("context") && has("evidences"):
		return readHotpotQA, Format2Wiki
	case array && has("context"):
		return readHotpotQA, FormatHotpotQA
	case array && has("evidence_list"):
		return readMultiHopRAG, FormatMultiHopRAG
	case array:
		return nil, ""
	case has("paragraphs"):
		return readMuSiQue, FormatMuSiQue
	case has("tasks"):
		return readTasks, FormatTasks
	case has("question"), filepath.Ext(path) == ".jsonl":
		return readQuestions, FormatFolder
	}
	return nil, ""
}

// firstKeys returns the fields of the first JSON object in a file, and whether
// that object is an element of an array. A file that is not JSON has none.
func firstKeys(path string) (keys map[string]json.RawMessage, array bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	in := withoutMark(f)
	first, err := skipSpace(in)
	if err != nil {
		return nil, false
	}
	dec := json.NewDecoder(in)
	if array = first == '['; array {
		dec.Token()
	}
	if dec.Decode(&keys) != nil {
		return nil, array
	}
	return keys, array
}

// skipSpace leaves the reader before the first byte that is not space.
func skipSpace(in io.ByteScanner) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, in.UnreadByte()
		}
	}
}

// matching lists a folder's files by a pattern, in order of name.
func matching(folder, pattern string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		if ok, _ := filepath.Match(pattern, e.Name()); ok && !e.IsDir() {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files
}
