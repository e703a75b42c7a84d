package filter

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

func TestGlobMatches(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		yes, noes string // paths, separated by spaces
	}{
		{"", "a a/b", ""},
		{"*.go", "a.go x/y/b.go .go", "a.gox a.go/b A.GO"},
		{"README*", "README.md docs/README", "docs/MYREADME"},
		{"/*.go", "a.go", "x/a.go"},
		{"./*.go", "a.go", "x/a.go"},
		{"src/*.go", "src/a.go", "src/x/a.go x/src/a.go"},
		{"src/**", "src/a src/x/y", "src x/src/a"},
		{"src/**/*.go", "src/a.go src/x/y/a.go", "a.go src/a.c"},
		{"src/**.go", "src/a.go src/x/a.go", "a.go"},
		{"**/test/*.go", "test/a.go x/y/test/a.go", "xtest/a.go test/x/a.go"},
		{"**/a/**/b", "a/b x/a/b a/x/y/b", "ab a/xb"},
		{"**", "a a/b/c", ""},
		{"docs/", "docs/a x/docs/y/z", "docs x/docs a/xdocs/b"},
		{"x/docs/", "x/docs/y/z", "docs/a y/x/docs/a"},
		{"/docs/", "docs/a", "x/docs/a"},
		{"/", "a a/b", ""},
		{"!*.go", "a.c x/go", "a.go x/a.go"},
		{"!", "", "a a/b"},
		{"a?c", "abc x/aéc a日c", "ac a/c abbc"},
		{"[a-c]x", "ax cx", "dx Ax x"},
		{"[!a-c]x", "dx éx", "ax /x x"},
		{"[^a-c]x", "dx", "ax"},
		{"[]a]x", "]x ax", "bx"},
		{"[a-]x", "-x ax", "bx"},
		{`[\]]x`, "]x", `\x`},
		{`[a\-c]x`, "-x ax cx", "bx"},
		{"p/[.-0]x", "p/.x p/0x", "p//x"},
		{"p/[/]x", "", "p//x p/x"},
		{"*.{go,md}", "a.go x/b.md", "a.c a.{go,md}"},
		{"{src,lib}/**/*.{c,h{,pp}}", "src/a.c lib/x/b.h lib/b.hpp", "src/a.hh doc/a.c"},
		{"{**/a,b}/c", "a/c x/y/a/c b/c", "x/b/c xa/c"},
		{"a,b", "a,b x/a,b", "a b"},
		{`\*\{\!`, "*{!", "a"},
		{`a.b+(c)`, "a.b+(c)", "axb+(c)"},
		{".hidden/*", ".hidden/x", "hidden/x"},
		{"*", "a x/\xff", ""},
		{"docs/**\n*.md", "docs/a.md docs/x/b.md", "a.md docs/a.txt"},
		{"*.md\n!README.md\n", "a.md x/b.md", "README.md x/README.md a.txt"},
	} {
		g, err := CompileGlob(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if g.String() != c.pattern {
			t.Errorf("%s: String is %s", c.pattern, g)
		}
		for _, path := range strings.Fields(c.yes) {
			if !g.Match(path) {
				t.Errorf("%s does not match %s", c.pattern, path)
			}
		}
		for _, path := range strings.Fields(c.noes) {
			if g.Match(path) {
				t.Errorf("%s matches %s", c.pattern, path)
			}
		}
	}
}

func TestBadGlobsAreRefused(t *testing.T) {
	for _, c := range []struct{ pattern, message, hint string }{
		{"a[b", `path "[b" has a [ without its ]`, `\[ for the character itself`},
		{"a{b", `path "a{b" has a { without its }`, `\{ for the character itself`},
		{"a}b", `path "a}b" has a } without its {`, `\} for the character itself`},
		{`a\`, `path "a\\" ends in a \`, `\\ for the character itself`},
		{"a\nb}", `path "b}" has a } without its {`, `\} for the character itself`},
		{"[z-a]", `path has the class [z-a], which is empty`, `[a-z]`},
		{"a\xff", `path "a\xff" is not UTF-8`, `* for the odd character`},
		{strings.Repeat("a", 1001), `path has 1001 bytes, more than 1000`, `a shorter path`},
	} {
		_, err := CompileGlob(c.pattern)
		wantError(t, c.pattern, err, winnow.BadFilter, c.message, c.hint)
	}
}

func TestGlobAgreesWithItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(parts []string, most int) string {
		var b strings.Builder
		for range rng.IntN(most) + 1 {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		return b.String()
	}
	matched := 0
	for range 20_000 {
		glob := random([]string{"a", "b", "*", "?", "/", "/**/", "[ab]", "[!a]"}, 6)
		file := random([]string{"a", "b", "c", "/a", "/b", "/"}, 6)
		if strings.Trim(glob, "/") != glob || strings.Contains(glob, "//") || strings.Trim(file, "/") != file || strings.Contains(file, "//") {
			continue
		}
		g, err := CompileGlob(glob)
		if err != nil {
			t.Fatal(err)
		}
		rooted := "/" + glob
		if !strings.Contains(glob, "/") {
			rooted = "/**/" + glob
		}
		want := plainMatch(regexp.MustCompile(`\*{3,}`).ReplaceAllString(rooted, "**"), "/"+file)
		if want {
			matched++
		}
		if got := g.Match(file); got != want {
			t.Fatalf("%s and %s: got %t, want %t", glob, file, got, want)
		}
	}
	if matched < 500 {
		t.Errorf("only %d matched", matched)
	}
}

// plainMatch is the definition for paths that begin with "/" and globs of
// letters, *, **, ?, /, [ab] and [!a].
func plainMatch(glob, path string) bool {
	if glob == "" {
		return path == ""
	}
	one := func(n int, in bool) bool {
		return path != "" && path[0] != '/' && in && plainMatch(glob[n:], path[1:])
	}
	first := path + "/"
	switch {
	case strings.HasPrefix(glob, "/**/"):
		if path == "" || path[0] != '/' {
			return false
		}
		for i := range path {
			if path[i] == '/' && plainMatch(glob[3:], path[i:]) {
				return true
			}
		}
		return false
	case strings.HasPrefix(glob, "**"):
		for i := range len(path) + 1 {
			if plainMatch(glob[2:], path[i:]) {
				return true
			}
		}
		return false
	case glob[0] == '*':
		return plainMatch(glob[1:], path) || path != "" && path[0] != '/' && plainMatch(glob, path[1:])
	case glob[0] == '?':
		return one(1, true)
	case strings.HasPrefix(glob, "[ab]"):
		return one(4, first[0] == 'a' || first[0] == 'b')
	case strings.HasPrefix(glob, "[!a]"):
		return one(4, first[0] != 'a')
	}
	return path != "" && path[0] == glob[0] && plainMatch(glob[1:], path[1:])
}

func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"*.go", "!src/**/*.{c,h}", "[!a-z]?", `\*`, "{a,{b,c}}/", "**/x/**", "[[:a]", "a//b", "./", "[\\"} {
		f.Add(seed, "src/x/a.go")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := CompileGlob(pattern)
		if err != nil {
			if winnow.CodeOf(err) != winnow.BadFilter {
				t.Fatalf("%q: %v", pattern, err)
			}
			return
		}
		negated, err := CompileGlob("!" + pattern)
		if err == nil && !strings.HasPrefix(pattern, "!") && g.Match(path) == negated.Match(path) {
			t.Fatalf("%q and its negation agree on %q", pattern, path)
		}
		// A path, written with every special character escaped, matches itself.
		if path == "" || len(path) > 300 || !utf8.ValidString(path) || strings.Trim(path, "/") != path || strings.HasPrefix(path, "./") {
			return
		}
		escaped := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`, `!`, `\!`).Replace(path)
		if g, err := CompileGlob(escaped); err != nil || !g.Match(path) {
			t.Fatalf("%q does not match itself as %q: %v", path, escaped, err)
		}
	})
}

func BenchmarkGlob(b *testing.B) {
	g, err := CompileGlob("src/**/*.{go,md}")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		g.Match("src/internal/engine/segment/reader.go")
	}
}
