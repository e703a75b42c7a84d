package open

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// settle makes a project in a repository and a home, and clears the environment.
func settle(t *testing.T, project, user string) (dir string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "project")
	home := filepath.Join(root, "home")
	for _, name := range []string{"WINNOW_LANGUAGE", "WINNOW_COLLECTIONS", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", root)
	t.Setenv("WINNOW_HOME", home)
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if project != "" {
		write(t, filepath.Join(dir, ConfigName), project)
	}
	if user != "" {
		write(t, filepath.Join(home, ConfigName), user)
	}
	return dir
}

func TestTheFirstLayerThatHasAKeyDecides(t *testing.T) {
	for _, test := range []struct {
		name, flag, env, project, user string
		language, origin               string
	}{
		{"nothing", "", "", "", "", "", "default"},
		{"user", "", "", "", "language: french", "french", "winnow.yaml"},
		{"project before user", "", "", "language: spanish", "language: french", "spanish", "winnow.yaml"},
		{"environment before project", "", "russian", "language: spanish", "language: french", "russian", "WINNOW_LANGUAGE"},
		{"flag before environment", "none", "russian", "language: spanish", "language: french", "none", "flag"},
		{"comments only", "", "", "# language: spanish", "language: french", "french", "winnow.yaml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := settle(t, test.project, test.user)
			t.Setenv("WINNOW_LANGUAGE", test.env)
			c, err := LoadConfig(dir, map[string]string{"language": test.flag})
			if err != nil {
				t.Fatal(err)
			}
			if c.Language != test.language {
				t.Errorf("the language is %q, want %q", c.Language, test.language)
			}
			for _, s := range c.Effective {
				if s.Key == "language" && filepath.Base(s.Origin) != test.origin {
					t.Errorf("it comes from %s, want %s", s.Origin, test.origin)
				}
			}
		})
	}
}

func TestTheProjectsFileIsFoundFromBelow(t *testing.T) {
	dir := settle(t, "language: spanish", "")
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := LoadConfig(below, nil); err != nil || c.Language != "spanish" {
		t.Errorf("it gives %+v (%v)", c, err)
	}
	// Another repository inside is another project.
	if err := os.Mkdir(filepath.Join(dir, "a", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := LoadConfig(below, nil); err != nil || c.Language != "" {
		t.Errorf("from another repository it gives %+v (%v)", c, err)
	}
}

func TestTheUsersFileMayLieInTheConfigurationFolder(t *testing.T) {
	dir := settle(t, "", "")
	base, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(base, "winnow", ConfigName), "language: french")
	if c, err := LoadConfig(dir, nil); err != nil || c.Language != "french" {
		t.Errorf("it gives %+v (%v)", c, err)
	}
}

func TestPathsAreRelativeToTheFileThatSaysThem(t *testing.T) {
	dir := settle(t, "collections: [notes, ./docs, a/../b]", "")
	c, err := LoadConfig(filepath.Join(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"notes", filepath.Join(dir, "docs"), filepath.Join(dir, "b")}
	if strings.Join(c.Collections, " ") != strings.Join(want, " ") {
		t.Errorf("the collections are %q, want %q", c.Collections, want)
	}
	t.Setenv("WINNOW_COLLECTIONS", "one, ~/two")
	if c, err = LoadConfig(dir, nil); err != nil {
		t.Fatal(err)
	}
	want = []string{"one", filepath.Join(os.Getenv("HOME"), "two")}
	if strings.Join(c.Collections, " ") != strings.Join(want, " ") {
		t.Errorf("the collections are %q, want %q", c.Collections, want)
	}
}

func TestAProjectCantReachOutside(t *testing.T) {
	for _, project := range []string{
		"collections: [../elsewhere]",
		"collections: [/etc]",
		"collections: [~/.ssh]",
		"collections: [./link]",
		"base_url: https://example.com",
		"headers: {a: b}",
		"api_key: x",
		"prompt: be evil",
		"policies: {a: {prompt: x}}",
		"policies: [{x: {y: {api_key_env: HOME}}}]",
	} {
		dir := settle(t, project, "")
		if err := os.Symlink(filepath.Dir(dir), filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		_, err := LoadConfig(dir, nil)
		if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), "a project's file can't") {
			t.Errorf("%s gives %v", project, err)
			continue
		}
		if e := err.(*winnow.Error); !strings.Contains(e.Hint, os.Getenv("WINNOW_HOME")) {
			t.Errorf("%s: the hint does not say where to put it: %s", project, e.Hint)
		}
	}
	dir := settle(t, "", "collections: [/etc, ~/notes]")
	if _, err := LoadConfig(dir, nil); err != nil {
		t.Errorf("the user's own file gives %v", err)
	}
}

func TestUnknownKeysAreErrorsWithASuggestion(t *testing.T) {
	for file, hint := range map[string]string{"langage: x": "language", "collection: [a]": "collections", "policies: {a: {modell: x}}": "model", "price: {promt: 1}": "prompt",
		"zzz: 1": "one of base_url, boost, "} {
		dir := settle(t, "", file)
		_, err := LoadConfig(dir, nil)
		e, ok := err.(*winnow.Error)
		if !ok || !strings.HasPrefix(e.Hint, hint) || !strings.Contains(e.Message, ":1: there is no setting") {
			t.Errorf("%s gives %#v", file, err)
		}
	}
}

func TestPoliciesThatMakeNoSenseAreErrors(t *testing.T) {
	for file, says := range map[string]string{
		"policies: [a]":                           "policies has a value of the wrong kind",
		"policies: {chat: {model: m}}":            `"chat" is a kind of policy`,
		"policies: {a: {timeout: 90}}":            "the policy a has a value of the wrong kind",
		"policies: {a: {temperature: hot}}":       "the policy a has a value of the wrong kind",
		"timeout: 90":                             "timeout has a value of the wrong kind",
		"policies: {a: {model: m}, a: {model: n}": "is not YAML",
	} {
		if _, err := LoadConfig(settle(t, "", file), nil); winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), says) {
			t.Errorf("%s gives %v", file, err)
		}
	}
}

func TestAProjectAddsPoliciesAndRedefinesNone(t *testing.T) {
	const user = "policies: {mine: {policy: harmony, model: m, base_url: 'http://localhost:8000'}}"
	c, err := LoadConfig(settle(t, "policies: {ours: {policy: bm25}}", user), nil)
	if err != nil || len(c.Policies) != 2 {
		t.Errorf("together there are %v (%v)", c, err)
	}
	_, err = LoadConfig(settle(t, "policies: {mine: {policy: chat, model: elsewhere}}", user), nil)
	if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), "can't redefine yours") {
		t.Errorf("redefining one gives %v", err)
	}
}

func TestStateLiesInTheUsersDataFolder(t *testing.T) {
	settle(t, "", "")
	t.Setenv("WINNOW_HOME", "")
	home, err := DefaultHome()
	if err != nil || !strings.HasPrefix(home, os.Getenv("HOME")) || filepath.Base(home) != "winnow" {
		t.Errorf("it lies in %s (%v)", home, err)
	}
}

func FuzzConfigFile(f *testing.F) {
	for _, seed := range []string{"", "language: x", "collections: [a, ./b]", "a: &a [*a]", "? {a: b}\n: c", "- x", "language: {a: !!binary x}", "\x00", "a: b\n---\nc: d", "<<: {language: x}",
		"policies: {a: {policy: chat, headers: {a: b}, price: {prompt: 1}, timeout: 5s}}", "policies: [a]", "policies: {chat: {}}", "timeout: 5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		l, err := parseLayer("winnow.yaml", []byte(file), false)
		if err != nil {
			if winnow.CodeOf(err) != winnow.BadInput {
				t.Errorf("the error is %#v", err)
			}
			return
		}
		var c Config
		if err := c.merge([]*layer{l}); err != nil && winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("the error is %#v", err)
		}
	})
}
