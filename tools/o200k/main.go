// Command o200k writes what package token embeds and is tested against. It
// takes the ranks of o200k_base from tiktoken-go, which stays out of the main
// module: as a Go map literal they make every binary slow to build and start.
//
//	go run ./o200k -to ../token                      the packed vocabulary and the golden encodings
//	go run ./o200k -ranks o200k_base.tiktoken        the ranks in the format of OpenAI's own tools
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	to := flag.String("to", "", "folder of package token: write o200k.bin and testdata/golden.json")
	ranks := flag.String("ranks", "", "file: write the ranks as lines of base64 and number")
	flag.Parse()
	if err := run(*to, *ranks); err != nil {
		fmt.Fprintln(os.Stderr, "o200k:", err)
		os.Exit(1)
	}
}

func run(to, ranks string) error {
	if to == "" && ranks == "" {
		return fmt.Errorf("nothing to write: give -to or -ranks")
	}
	vocabulary, err := newVocabulary()
	if err != nil {
		return err
	}
	if ranks != "" {
		if err := os.WriteFile(ranks, vocabulary.lines(), 0o644); err != nil {
			return err
		}
	}
	if to == "" {
		return nil
	}
	packed, err := vocabulary.pack()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "o200k.bin"), packed, 0o644); err != nil {
		return err
	}
	golden, err := vocabulary.golden()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "testdata", "golden.json"), golden, 0o644)
}
