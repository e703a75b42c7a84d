package ingest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// found walks a folder and returns the ids of its files and why others are left
// out.
func found(t *testing.T, roots ...string) (ids []string, left map[string]string) {
	t.Helper()
	opened, err := openRoots(roots)
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoots(opened)
	tree, err := walk(t.Context(), opened, 0)
	if err != nil {
		t.Fatal(err)
	}
	left = map[string]string{}
	for _, f := range tree.files {
		ids = append(ids, f.id)
	}
	for _, n := range slices.Concat(tree.skipped, tree.failed) {
		left[n.Path] = n.Reason
	}
	return ids, left
}

func TestWhatIsLeftOutByName(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{
		".hidden": "hidden", ".git/": "hidden", ".env": "may hold secrets", ".env.local": "may hold secrets",
		"server.pem": "may hold secrets", "id_rsa": "may hold secrets", "prod.env": "may hold secrets",
		"package-lock.json": "lock file", "go.sum": "lock file", "sub/yarn.lock": "lock file",
		"app.min.js": "minified or generated", "app.bundle.js": "minified or generated", "app.js.map": "minified or generated",
		"node_modules/": "installed dependencies", "photo.JPG": "binary", "out.log": "ignored by .gitignore",
		"private/": "ignored by .winnowignore", ".gitignore": "hidden", ".winnowignore": "hidden",
	}
	files := map[string]string{
		".gitignore": "*.log\n", ".winnowignore": "private/\n!keep.log\n!.github/\n",
		".git/config": "x", "node_modules/a/b.js": "x", "private/x.md": "x",
		"keep.log": "x", ".github/ci.yml": "x", "a.md": "x", "id_rsa.pub": "x", "lock.md": "x",
	}
	for name := range want {
		if _, ok := files[name]; !ok && !strings.HasSuffix(name, "/") {
			files[name] = "x"
		}
	}
	write(t, dir, files)
	ids, left := found(t, dir)
	if !slices.Equal(ids, []string{".github/ci.yml", "a.md", "id_rsa.pub", "keep.log", "lock.md"}) {
		t.Errorf("files %q", ids)
	}
	for name, why := range want {
		if left[name] != why {
			t.Errorf("%s is left out because %q, want %q", name, left[name], why)
		}
		delete(left, name)
	}
	if len(left) > 0 {
		t.Errorf("also left out: %v", left)
	}
}

func TestIgnoreFiles(t *testing.T) {
	for _, c := range []struct {
		name, pattern  string
		ignored, taken string // names, with spaces between; folders end with a slash
	}{
		{"a name", "build", "build build/ a/build", "builder a/build2"},
		{"a folder", "build/", "build/ a/build/", "build a/build"},
		{"anchored", "/build", "build build/", "a/build"},
		{"with a slash", "a/build", "a/build", "b/a/build build"},
		{"an ending", "*.log", "x.log a/b/x.log .log", "x.log.txt"},
		{"one star", "a/*/c", "a/b/c", "a/c a/b/b/c"},
		{"leading stars", "**/c", "c a/c a/b/c", "cc"},
		{"stars between", "a/**/c", "a/c a/b/c a/b/b/c", "b/c"},
		{"trailing stars", "a/**", "a/b a/b/c", "a a/ b"},
		{"a class", "[ab].md", "a.md b.md", "c.md ab.md"},
		{"a negated class", "[!a].md", "b.md", "a.md"},
		{"escaped", `\#x` + "\n" + `\!y` + "\n" + `z\ `, "#x !y", "x y"},
		{"the last counts", "*.md\n!a.md\nb/a.md", "c.md b/a.md", "a.md c/a.md"},
		{"comments and blanks", "# a\n\n  \nb  \n", "b", "a #"},
		{"a broken class", "[a", "", "a [a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &rules{patterns: parsePatterns(c.pattern, false)}
			test := func(names string, want bool) {
				for name := range strings.FieldsSeq(names) {
					v := r.check(strings.TrimSuffix(name, "/"), strings.HasSuffix(name, "/"))
					if got := v == ignored; got != want {
						t.Errorf("%q: ignored is %v", name, got)
					}
				}
			}
			test(c.ignored, true)
			test(c.taken, false)
		})
	}
}

func TestNestedIgnoreFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		".git/HEAD": "", ".gitignore": "*.tmp\n/sub/gone\n", "sub/.gitignore": "!keep.tmp\n/local\n",
		"a.tmp": "x", "sub/a.tmp": "x", "sub/keep.tmp": "x", "sub/local": "x", "sub/gone": "x", "sub/deep/local": "x", "sub/deep/keep.tmp": "x",
	})
	want := []string{"sub/deep/keep.tmp", "sub/deep/local", "sub/keep.tmp"}
	if ids, _ := found(t, dir); !slices.Equal(ids, want) {
		t.Errorf("files %q", ids)
	}
	// A part of the repository is seen as the whole is.
	if ids, _ := found(t, filepath.Join(dir, "sub")); !slices.Equal(ids, []string{"deep/keep.tmp", "deep/local", "keep.tmp"}) {
		t.Errorf("files below sub %q", ids)
	}
	if ids, _ := found(t, filepath.Join(dir, "sub/deep")); !slices.Equal(ids, []string{"keep.tmp", "local"}) {
		t.Errorf("files below sub/deep %q", ids)
	}
}

func TestLinksAndPipesAreNotFollowed(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"secret.md": "secret", "more/x.md": "x"})
	write(t, dir, map[string]string{"a.md": "a"})
	for name, target := range map[string]string{
		"file.md": filepath.Join(outside, "secret.md"), "folder": outside, "up": "..", "self": ".", "inside.md": "a.md", "dangling": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	ids, left := found(t, dir)
	if !slices.Equal(ids, []string{"a.md"}) || left["file.md"] != "symbolic link" || left["pipe"] != "not a regular file" || len(left) != 7 {
		t.Fatalf("files %q, left out %v", ids, left)
	}
	// Not even if they take a file's place after the walk.
	roots, err := openRoots([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoots(roots)
	for _, name := range []string{"file.md", "folder/secret.md", "../" + filepath.Base(outside) + "/secret.md", "pipe"} {
		if data, err := roots[0].read(name, 100); err == nil {
			t.Errorf("%s reads %q", name, data)
		}
	}
}

func TestNamesAreMadePrintable(t *testing.T) {
	dir := t.TempDir()
	names := map[string]string{"two\nlines.md": "two%0Alines.md", "tab\t/\x1b[31m.md": "tab%09/%1B[31m.md", "ümlaut 漢.md": "ümlaut 漢.md"}
	files := map[string]string{}
	for name := range names {
		files[name] = "text"
	}
	write(t, dir, files)
	// Not all file systems have names that are not UTF-8.
	if err := os.WriteFile(filepath.Join(dir, "bad\xff.md"), []byte("text"), 0o644); err == nil {
		names["bad\xff.md"] = "bad%FF.md"
	}
	c := newCollection(t, dir)
	c.sync()
	for _, id := range names {
		if d := c.documents[id]; d == nil || d.Text() != "text" || d.Path != id {
			t.Errorf("no document %q in %v", id, c.texts())
		}
	}
	if len(c.documents) != len(names) {
		t.Errorf("documents %v", c.texts())
	}
}
