package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/wire"
)

func (c *cli) grepCommand() *cobra.Command {
	var w where
	var p passages
	var q winnow.GrepQuery
	var ignoreCase bool
	cmd := &cobra.Command{
		Use:   "grep [WHERE] PATTERN",
		Short: "Print the lines that match a regular expression",
		Long: `Grep prints the lines that match a regular expression in Go's (RE2) syntax as
path:line:text, by document and line. Exit code 1 means that nothing matches.`,
		Example: `  winnow grep 'func \w+Lock'
  winnow grep --in ~/notes -i 'invoice \d{4}-\d+'
  winnow grep --path '**/*.go' --format paths 'os\.Root'`,
		Args: arguments(1, 1, "PATTERN"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := p.check(c); err != nil {
				return err
			}
			if q.Limit < 1 {
				return usage("--limit 1000", "--limit wants a number above 0")
			}
			if q.Pattern = args[0]; ignoreCase {
				q.Pattern = "(?i)" + q.Pattern
			}
			re, err := filter.CompilePattern(q.Pattern)
			if err != nil {
				return err
			}
			if q.Scope, err = w.scope(); err != nil {
				return err
			}
			return c.grep(cmd.Context(), &w, &p, q, re)
		},
	}
	w.flags(cmd)
	p.flags(cmd)
	cmd.Flags().BoolVarP(&ignoreCase, "ignore-case", "i", false, "upper and lower case are the same")
	cmd.Flags().IntVar(&q.Limit, "limit", 1000, "no more than `N` lines")
	return cmd
}

func (c *cli) grep(ctx context.Context, w *where, p *passages, q winnow.GrepQuery, re *regexp.Regexp) error {
	s, err := c.open(ctx, w, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := s.Grep(ctx, q)
	if err != nil {
		return err
	}
	warnings := append(s.Warnings, found.Warnings...)
	if found.Truncated && p.format != formatJSON {
		warnings = append(warnings, fmt.Sprintf("there are more lines than these %s", count(len(found.Matches))))
	}
	switch p.format {
	case formatJSON:
		if err := c.print(wire.GrepOf(found, warnings)); err != nil {
			return err
		}
	case formatPaths:
		p.paths(c.stdout, s.File, matchedChunks(found))
	case formatContext:
		chunks := matchedChunks(found)
		warnings = p.leftOut(warnings, len(chunks)-p.context(c.stdout, s.File, chunks))
	default:
		c.printMatches(s, found, re)
	}
	c.warn(warnings)
	if len(found.Matches) == 0 {
		return errNoMatch
	}
	return nil
}

// matchedChunks are the chunks of the matches, each once.
func matchedChunks(found *winnow.Matches) (chunks []*winnow.Chunk) {
	for i := range found.Matches {
		c := &found.Matches[i].Chunk
		if n := len(chunks); n == 0 || chunks[n-1].ID != c.ID || chunks[n-1].Collection != c.Collection {
			chunks = append(chunks, c)
		}
	}
	return chunks
}

func (c *cli) printMatches(s *open.Opened, found *winnow.Matches, re *regexp.Regexp) {
	t := c.outTerminal
	for i := range found.Matches {
		m := &found.Matches[i]
		text := m.Text
		if t.colour {
			text = paintMatches(t, re, text)
		}
		fmt.Fprintf(c.stdout, "%s:%s:%s\n", t.paint(magenta, t.safe(s.File(&m.Chunk))), t.paint(green, fmt.Sprint(m.Line)), text)
	}
}

func paintMatches(t terminal, re *regexp.Regexp, line string) string {
	var b strings.Builder
	at := 0
	for _, m := range re.FindAllStringIndex(line, -1) {
		b.WriteString(t.safe(line[at:m[0]]) + t.paint(red, t.safe(line[m[0]:m[1]])))
		at = m[1]
	}
	return b.String() + t.safe(line[at:])
}
