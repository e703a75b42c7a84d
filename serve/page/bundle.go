package page

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// imported matches an import as the page's modules write it: of names, from a
// file beside it, in one line.
var imported = regexp.MustCompile(`(?m)^import \{[^}\n]*\} from "\./([a-z]+\.js)";\n`)

// bundle joins a module with all that it imports into one script, each file once
// and after what it needs. It is enough for modules that share one set of names;
// a test runs the result.
func bundle(files fs.FS, entry string) (string, error) {
	var out strings.Builder
	done := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		if done[name] {
			return nil
		}
		done[name] = true
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
			if err := add(path.Clean(m[1])); err != nil {
				return err
			}
		}
		rest := imported.ReplaceAllString(string(text), "")
		if strings.Contains(rest, "\nimport ") || strings.HasPrefix(rest, "import ") {
			return fmt.Errorf("%s imports in a form that can't be joined", name)
		}
		out.WriteString(strings.ReplaceAll("\n"+rest, "\nexport ", "\n"))
		return nil
	}
	err := add(entry)
	return out.String(), err
}
