package open

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/winnow-search/winnow"
)

// private are the keys that a project's file may not hold, wherever they
// stand: a cloned folder must not be able to send a key or a document to an
// address of its choice, nor to speak to a model in the user's name.
var private = map[string]string{
	"url": "an endpoint", "base_url": "an endpoint", "endpoint": "an endpoint",
	"headers": "headers", "ca": "whom to trust",
	"api_key": "a key", "key": "a key", "api_key_env": "a key", "key_env": "a key",
	"embedder_key_env": "a key", "rerank_key_env": "a key",
	"prompt": "a prompt", "system": "a prompt",
}

// parseLayer reads the content of a configuration file and refuses what no
// setting is called.
func parseLayer(path string, data []byte, trusted bool) (*layer, error) {
	l := &layer{origin: path, dir: filepath.Dir(path), values: map[string]*yaml.Node{}, trusted: trusted}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: path + " is not YAML", Hint: "key: value, one a line",
			Err: errors.New(strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	if len(doc.Content) == 0 { // empty, or comments only
		return l, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, l.fault(root, "key: value, one a line", "this is no list of settings")
	}
	if err := l.checkPrivate(root); err != nil {
		return nil, err
	}
	if err := l.checkKeys(root, reflect.TypeFor[Settings]()); err != nil {
		return nil, err
	}
	for i := 0; i < len(root.Content); i += 2 {
		l.values[root.Content[i].Value] = root.Content[i+1]
	}
	return l, nil
}

// checkPrivate refuses private keys at any depth, known or not.
func (l *layer) checkPrivate(n *yaml.Node) error {
	if l.trusted {
		return nil
	}
	for i, c := range n.Content {
		if what := private[c.Value]; n.Kind == yaml.MappingNode && i%2 == 0 && what != "" {
			return l.fault(c, fmt.Sprintf("put %s into your own %s", c.Value, userFiles()[0]),
				"a project's file can't set %s (%s)", what, c.Value)
		}
		if err := l.checkPrivate(c); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys refuses keys that the type has no field for, and keys that come
// twice.
func (l *layer) checkKeys(n *yaml.Node, t reflect.Type) error {
	switch {
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, c := range n.Content {
			if err := l.checkKeys(c, t.Elem()); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Map:
		for i := 1; i < len(n.Content); i += 2 {
			if err := l.checkKeys(n.Content[i], t.Elem()); err != nil {
				return err
			}
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		fields := map[string]reflect.Type{}
		for _, f := range fieldsOf(t) {
			fields[keyOf(f)] = f.Type
		}
		seen := map[string]bool{}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			field, known := fields[key.Value]
			if !known {
				return l.fault(key, suggest(key.Value, fields), "there is no setting %q", key.Value)
			}
			if seen[key.Value] {
				return l.fault(key, "say it once", "%s is set twice", key.Value)
			}
			seen[key.Value] = true
			if err := l.checkKeys(n.Content[i+1], field); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *layer) wrongType(key string, n *yaml.Node, want reflect.Type) error {
	hint := key + ": word"
	if want.Kind() == reflect.Slice {
		hint = key + ": [one, another]"
	}
	return l.fault(n, hint, "%s has a value of the wrong kind", key)
}

// fault is an error at a place of the layer.
func (l *layer) fault(n *yaml.Node, hint, format string, args ...any) error {
	return &winnow.Error{Code: winnow.BadInput, Hint: hint,
		Message: fmt.Sprintf("%s:%d: ", l.origin, n.Line) + fmt.Sprintf(format, args...)}
}

// fieldsOf are the fields of a type of settings, those of embedded ones among
// them.
func fieldsOf(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
}

// keyOf is the key of a field of settings.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}
