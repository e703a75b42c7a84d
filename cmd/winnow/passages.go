package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// passages is how chunks are handed on: to people, or to programs and prompts.
type passages struct {
	format    string
	maxTokens int
}

const (
	formatText    = "text"
	formatPaths   = "paths"
	formatContext = "context"
	formatJSON    = "json"
)

func (p *passages) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.format, "format", formatText, "`text`, paths (file names only), context (passages for a prompt) or json")
	cmd.Flags().IntVar(&p.maxTokens, "max-tokens", 0, "with context or json: no more than `N` tokens of passages")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(
		[]string{formatText, formatPaths, formatContext, formatJSON}, cobra.ShellCompDirectiveNoFileComp))
}

// check completes the flags: --json is --format json.
func (p *passages) check(c *cli) error {
	if c.json {
		p.format = formatJSON
	}
	switch p.format {
	case formatJSON:
		c.json = true
	case formatContext:
	case formatText, formatPaths:
		if p.maxTokens != 0 {
			return usage("add --format context", "--max-tokens has no meaning for --format %s", p.format)
		}
	default:
		return usage("--format text, paths, context or json", "there is no format %q", p.format)
	}
	if p.maxTokens < 0 {
		return usage("--max-tokens 4000", "--max-tokens can't be negative")
	}
	return nil
}

// fitting is the number of chunks, from the first, whose texts have no more
// tokens than are allowed.
func (p *passages) fitting(chunks []*winnow.Chunk) int {
	if p.maxTokens == 0 {
		return len(chunks)
	}
	sum := 0
	for i, c := range chunks {
		if sum += token.Count(c.Text); sum > p.maxTokens {
			return i
		}
	}
	return len(chunks)
}

// paths prints each file once, in the order of its first chunk.
func (p *passages) paths(w io.Writer, file func(*winnow.Chunk) string, chunks []*winnow.Chunk) {
	var seen []string
	for _, c := range chunks {
		if name := file(c); !slices.Contains(seen, name) {
			seen = append(seen, name)
			fmt.Fprintln(w, name)
		}
	}
}

// context prints chunks ready to be pasted into a prompt, and returns how many
// fit. The count is that of everything printed: headers are tokens too. A first
// passage that is too long alone is cut, because something beats nothing.
func (p *passages) context(w io.Writer, file func(*winnow.Chunk) string, chunks []*winnow.Chunk) int {
	text := ""
	for i, c := range chunks {
		header := fmt.Sprintf("[%d] %s", i+1, location(file(c), c))
		if title := caption(c); title != "" {
			header += " (" + title + ")"
		}
		next := text + header + "\n" + strings.TrimRight(c.Text, "\n") + "\n\n"
		if p.maxTokens > 0 && token.Count(next) > p.maxTokens {
			if i == 0 {
				ids := token.Append(nil, next)
				fmt.Fprint(w, validPrefix(token.Decode(ids[:p.maxTokens])))
				return 1
			}
			chunks = chunks[:i]
			break
		}
		text = next
	}
	fmt.Fprint(w, text)
	return len(chunks)
}

// leftOut adds a warning for passages that the limit kept out.
func (p *passages) leftOut(warnings []string, n int) []string {
	if n == 0 {
		return warnings
	}
	return append(warnings, fmt.Sprintf("%s left out by --max-tokens %d", plural(n, "passage"), p.maxTokens))
}

func endLine(text string) string {
	if text == "" || text[len(text)-1] == '\n' {
		return text
	}
	return text + "\n"
}

// validPrefix drops a character that was cut in the middle.
func validPrefix(text string) string {
	for range utf8.UTFMax - 1 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}
