package ingest

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// safeName makes a file's path fit to be an id: control characters and bytes
// that are not UTF-8 are written as %XX, so that an id is one line of text
// wherever it is printed.
func safeName(name string) string {
	if strings.IndexFunc(name, unsafeRune) < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if unsafeRune(r) {
			for _, c := range []byte(name[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

func unsafeRune(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }

// resolve returns the document id of the file that a relative reference in the
// document id points to, or the reference itself where it has a scheme. A
// reference to a place in the same file gives "".
func resolve(id, reference string) string {
	reference = strings.TrimSpace(reference)
	if u, err := url.Parse(reference); err == nil && u.Scheme == "" && u.Host == "" {
		if u.Path == "" {
			return ""
		}
		target := u.Path
		if !strings.HasPrefix(target, "/") {
			target = path.Join(path.Dir(id), target)
		}
		return safeName(strings.TrimLeft(path.Clean(target), "/"))
	}
	return safeName(reference)
}

// stem is a file's name without its folder and extension.
func stem(id string) string {
	base := path.Base(id)
	if s := strings.TrimSuffix(base, path.Ext(base)); s != "" {
		return s
	}
	return base
}
