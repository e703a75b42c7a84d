package filter

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

// Glob is a pattern over "/"-separated paths, in the manner of .gitignore:
//
//	?        one character but "/"
//	*        any characters but "/"
//	**       any characters; "**/" also stands for no folder at all
//	[a-z]    one character of the class, never "/"; [!a-z] or [^a-z] one outside
//	{a,b}    either; may be nested
//	\x       the character x
//
// A pattern without "/" matches names at any depth, as if "**/" stood before it;
// one with "/" matches paths from the root, and a leading "/" or "./" only says
// so. A trailing "/" matches all that is below a folder. A leading "!" negates.
// The empty pattern matches everything. Several patterns, one to a line, match
// what each of them matches. Case counts.
//
// Matching is by RE2 and so linear in the path for every pattern.
type Glob struct {
	pattern string
	lines   []line
}

type line struct {
	not bool
	re  *regexp.Regexp
}

// CompileGlob reads a pattern. Errors are *winnow.Error with code BadFilter.
func CompileGlob(pattern string) (*Glob, error) {
	g := &Glob{pattern: pattern}
	for one := range strings.SplitSeq(pattern, "\n") {
		body, not := strings.CutPrefix(one, "!")
		expr, err := translate(body)
		if err != nil {
			return nil, err
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil, badGlob("fewer { and }", "path %s is too deeply nested", quote(one))
		}
		g.lines = append(g.lines, line{not, re})
	}
	return g, nil
}

// Match reports whether the pattern matches a path.
func (g *Glob) Match(path string) bool {
	return !slices.ContainsFunc(g.lines, func(l line) bool { return l.re.MatchString(path) == l.not })
}

// String returns the pattern as it was written.
func (g *Glob) String() string { return g.pattern }

// translate turns a glob into a regular expression.
func translate(glob string) (string, error) {
	if len(glob) > maxPattern {
		return "", badGlob("a shorter path", "path has %d bytes, more than %d", len(glob), maxPattern)
	}
	if !utf8.ValidString(glob) {
		return "", badGlob("* for the odd character", "path %s is not UTF-8", quote(glob))
	}
	if strings.HasPrefix(glob, "./") {
		glob = glob[1:]
	}
	body, rooted := strings.CutPrefix(glob, "/")
	body, below := strings.CutSuffix(body, "/")
	if body == "" {
		return "", nil
	}

	var b strings.Builder
	b.WriteString(`(?s)\A`)
	if !rooted && !strings.Contains(body, "/") {
		b.WriteString(`(?:.*/)?`)
	}
	// first says that an element of the path begins here; open holds its value
	// at each "{" that is not closed yet.
	first, open := true, []bool(nil)
	for i := 0; i < len(body); {
		rest := body[i:]
		r, size := utf8.DecodeRuneInString(rest)
		i += size
		starts := first
		first = r == '/'
		switch {
		case r == '*':
			stars := len(rest) - len(strings.TrimLeft(rest, "*"))
			i += stars - 1
			switch {
			case stars == 1:
				b.WriteString(`[^/]*`)
			case starts && i < len(body) && body[i] == '/':
				b.WriteString(`(?:.*/)?`)
				i, first = i+1, true
			default:
				b.WriteString(`.*`)
			}
		case r == '?':
			b.WriteString(`[^/]`)
		case r == '[':
			class, n, err := translateClass(rest)
			if err != nil {
				return "", err
			}
			b.WriteString(class)
			i += n - size
		case r == '{':
			b.WriteString(`(?:`)
			open, first = append(open, starts), starts
		case r == ',' && len(open) > 0:
			b.WriteString(`|`)
			first = open[len(open)-1]
		case r == '}':
			if len(open) == 0 {
				return "", badGlob(`\} for the character itself`, "path %s has a } without its {", quote(glob))
			}
			b.WriteString(`)`)
			open = open[:len(open)-1]
		case r == '\\':
			if i == len(body) {
				return "", badGlob(`\\ for the character itself`, `path %s ends in a \`, quote(glob))
			}
			r, size := utf8.DecodeRuneInString(body[i:])
			b.WriteString(regexp.QuoteMeta(string(r)))
			i += size
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if len(open) > 0 {
		return "", badGlob(`\{ for the character itself`, "path %s has a { without its }", quote(glob))
	}
	if below {
		b.WriteString(`/.*`)
	}
	b.WriteString(`\z`)
	return b.String(), nil
}

// translateClass turns the class at the start of glob into a class of RE2, and
// returns its length in glob. A "]" that comes first is a member.
func translateClass(glob string) (string, int, error) {
	runes := []rune(glob)
	i := 1
	var b strings.Builder
	b.WriteString(`[`)
	negated := i < len(runes) && (runes[i] == '!' || runes[i] == '^')
	if negated {
		b.WriteString(`^/`)
		i++
	}
	begin := i
	for ; i < len(runes) && (runes[i] != ']' || i == begin); i++ {
		if runes[i] == '\\' && i+1 < len(runes) {
			i++
		}
		low, high := runes[i], runes[i]
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i+2] != ']' {
			i += 2
			if runes[i] == '\\' && i+1 < len(runes) {
				i++
			}
			high = runes[i]
		}
		if low > high {
			return "", 0, badGlob(fmt.Sprintf("[%c-%c]", high, low), "path has the class [%c-%c], which is empty", low, high)
		}
		// RE2 has no difference of classes, so "/" is cut out of the range.
		if !negated && low <= '/' && '/' <= high {
			writeRange(&b, low, '/'-1)
			writeRange(&b, '/'+1, high)
			continue
		}
		writeRange(&b, low, high)
	}
	if i == len(runes) {
		return "", 0, badGlob(`\[ for the character itself`, "path %s has a [ without its ]", quote(glob))
	}
	length := len(string(runes[:i+1]))
	if b.Len() == len(`[`) {
		return `[^\x00-\x{10FFFF}]`, length, nil // only "/" was in it
	}
	b.WriteString(`]`)
	return b.String(), length, nil
}

func writeRange(b *strings.Builder, low, high rune) {
	if low <= high {
		fmt.Fprintf(b, `\x{%x}-\x{%x}`, low, high)
	}
}

func badGlob(hint, format string, args ...any) error {
	return &winnow.Error{Code: winnow.BadFilter, Message: fmt.Sprintf(format, args...), Hint: hint}
}
