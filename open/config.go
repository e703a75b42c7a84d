package open

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/filter"
)

// ConfigName is the name of a configuration file, the user's and a project's.
const ConfigName = "winnow.yaml"

// Settings are what a configuration can say. The yaml tags are the keys, and
// WINNOW_ before a key in capitals is its environment variable.
type Settings struct {
	// Collections are searched where a command names none: names of
	// collections, or paths of folders and files, which hold a "/" or begin with
	// a dot. A path is relative to the file that says it.
	Collections []string `yaml:"collections"`
	// Language of stems and stop words in collections that are made from now on;
	// "" is English.
	Language string `yaml:"language"`
	// Embedder gives texts their meaning: "builtin" (the default), "static" for
	// its fast tier alone, "off", or the address of an OpenAI-compatible server
	// with EmbedderModel and, in the variable EmbedderKeyEnv, its key.
	Embedder       string `yaml:"embedder"`
	EmbedderModel  string `yaml:"embedder_model"`
	EmbedderKeyEnv string `yaml:"embedder_key_env"`
	// Rerank orders the candidates of a search: "builtin" (the default), "off",
	// or the address of a rerank server.
	Rerank       string `yaml:"rerank"`
	RerankModel  string `yaml:"rerank_model"`
	RerankKeyEnv string `yaml:"rerank_key_env"`
	// Synonyms are further words for words of a question.
	Synonyms map[string][]string `yaml:"synonyms"`
	// Boost raises or lowers what passes a filter.
	Boost []Boost `yaml:"boost"`
	// Chroma says how Chroma servers are spoken to.
	Chroma ChromaSettings `yaml:"chroma"`
	// PolicySettings are the policy that is used where a command names none.
	PolicySettings
	// Policies are further ones, by name.
	Policies map[string]PolicySettings `yaml:"policies"`
}

// Boost is a filter with the factor for what passes it.
type Boost struct {
	Where  any     `yaml:"where"`
	Factor float64 `yaml:"factor"`
}

// json is the filter as the index takes it.
func (b Boost) json() (json.RawMessage, error) {
	raw, err := json.Marshal(b.Where)
	if err == nil {
		_, err = filter.Parse(raw)
	}
	if err != nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "a boost has no usable where", Hint: "boost: [{where: {type: markdown}, factor: 2}]", Err: err}
	}
	return raw, nil
}

// Config is the effective configuration.
type Config struct {
	Settings
	// Files are the configuration files that were read.
	Files []string
	// Effective lists every setting with the place it comes from.
	Effective []Setting
}

// Setting is one effective value, nil where nothing is said.
type Setting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// The origins that are not files.
const (
	fromFlag        = "flag"
	fromEnvironment = "environment"
	fromDefault     = "default"
)

// layer is one place that settings come from.
type layer struct {
	origin string
	dir    string // what relative paths are relative to
	values map[string]*yaml.Node
	// trusted is false for the file of a project, which may have been cloned
	// from anywhere.
	trusted bool
}

// LoadConfig reads the configuration that holds in dir. Flags are what the
// command line says, by key.
//
// Flags go before the environment, the environment before the project's file,
// and that before the user's. A key is taken whole from the first that has it,
// and the policies of all are there by name.
func LoadConfig(dir string, flags map[string]string) (*Config, error) {
	layers := []*layer{
		textLayer(fromFlag, dir, func(key string) string { return flags[key] }),
		textLayer(fromEnvironment, dir, func(key string) string { return os.Getenv(variable(key)) }),
	}
	c := &Config{}
	for _, file := range []struct {
		path    string
		trusted bool
	}{{projectFile(dir), false}, {userFile(), true}} {
		if file.path == "" {
			continue
		}
		l, err := readLayer(file.path, file.trusted)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
		c.Files = append(c.Files, file.path)
	}
	return c, c.merge(layers)
}

// merge takes each key from the first layer that has it.
func (c *Config) merge(layers []*layer) error {
	settings := reflect.ValueOf(&c.Settings).Elem()
	for _, f := range fieldsOf(settings.Type()) {
		key, field := keyOf(f), settings.FieldByIndex(f.Index)
		if key == "policies" {
			if err := c.mergePolicies(layers); err != nil {
				return err
			}
			continue
		}
		s := Setting{Key: key, Origin: fromDefault}
		for _, l := range layers {
			n := l.values[key]
			if n == nil {
				continue
			}
			s.Origin = l.originOf(key)
			if err := n.Decode(field.Addr().Interface()); err != nil {
				return l.wrongType(key, n, f.Type)
			}
			if !l.trusted && (key == "embedder" || key == "rerank") && strings.Contains(n.Value, "://") {
				return l.fault(n, fmt.Sprintf("put %s into your own %s", key, userFiles()[0]), "a project's file can't set an endpoint (%s)", key)
			}
			if key == "collections" {
				if err := l.resolve(c.Collections); err != nil {
					return err
				}
			}
			if key == "prompt" {
				c.Prompt = l.path(c.Prompt)
			}
			break
		}
		switch {
		case !field.IsZero():
			s.Value = shown(field.Interface())
		case key == "language":
			s.Value = "english"
		}
		c.Effective = append(c.Effective, s)
	}
	return nil
}

// mergePolicies takes each name from the first layer that has it: a project's
// policies do not hide the user's. Nor do they take their names: what the user
// means to send to one server would go to another.
func (c *Config) mergePolicies(layers []*layer) error {
	c.Policies = map[string]PolicySettings{}
	origins := map[string]string{}
	for _, l := range layers {
		n := l.values["policies"]
		if n == nil {
			continue
		}
		var of map[string]yaml.Node
		if err := n.Decode(&of); err != nil {
			return l.fault(n, "policies: {mine: {policy: chat, model: NAME}}", "policies has a value of the wrong kind")
		}
		for name, described := range of {
			if _, taken := policies[name]; taken {
				return l.fault(n, "another name", "%q is a kind of policy and can't be the name of one", name)
			}
			var p PolicySettings
			if err := described.Decode(&p); err != nil {
				return l.fault(&described, "policy, model, … as in docs/models.md; a timeout has a unit, as in 90s", "the policy %s has a value of the wrong kind", name)
			}
			if _, there := c.Policies[name]; there {
				return l.fault(n, "another name in "+origins[name], "%s is a policy in %s too, and a project's file can't redefine yours", name, origins[name])
			}
			p.Prompt = l.path(p.Prompt)
			c.Policies[name], origins[name] = p, l.origin
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Policies)) {
		c.Effective = append(c.Effective, Setting{Key: "policies." + name, Value: shown(c.Policies[name]), Origin: origins[name]})
	}
	return nil
}

// userInfo is the name and password in an address.
var userInfo = regexp.MustCompile(`://[^/@\s"']+@`)

// shown is a value as it may be shown and printed as JSON: under its keys, and
// without what is secret.
func shown(value any) any {
	text, err := yaml.Marshal(value)
	if err == nil {
		var out any
		if err = yaml.Unmarshal(userInfo.ReplaceAll(text, []byte("://(hidden)@")), &out); err == nil {
			return out
		}
	}
	panic(err) // it was read from YAML
}

// textLayer is a layer of values given as text. Lists are separated by commas.
func textLayer(origin, dir string, value func(key string) string) *layer {
	l := &layer{origin: origin, dir: dir, values: map[string]*yaml.Node{}, trusted: true}
	for _, f := range fieldsOf(reflect.TypeFor[Settings]()) {
		key := keyOf(f)
		text := value(key)
		if text == "" {
			continue
		}
		n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
		if f.Type.Kind() == reflect.Slice {
			n = &yaml.Node{Kind: yaml.SequenceNode}
			for part := range strings.SplitSeq(text, ",") {
				n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(part)})
			}
		}
		l.values[key] = n
	}
	return l
}

// variable is the environment variable of a key.
func variable(key string) string { return "WINNOW_" + strings.ToUpper(key) }

// originOf says where the layer has a key from.
func (l *layer) originOf(key string) string {
	if l.origin == fromEnvironment {
		return variable(key)
	}
	return l.origin
}

// projectFile is the nearest winnow.yaml in dir or above it, up to the root of
// the repository and never as far as the home folder or "/": what lies there
// belongs to no project.
func projectFile(dir string) string {
	home, _ := os.UserHomeDir()
	for dir != home && dir != filepath.Dir(dir) {
		path := filepath.Join(dir, ConfigName)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return ""
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// userFile is the user's winnow.yaml, if there is one: in $WINNOW_HOME where
// that is set, else in the user's configuration folder.
func userFile() string {
	for _, path := range userFiles() {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

func userFiles() (paths []string) {
	if home := os.Getenv(homeVariable); home != "" {
		paths = append(paths, filepath.Join(home, ConfigName))
	}
	if dir, err := os.UserConfigDir(); err == nil {
		paths = append(paths, filepath.Join(dir, "winnow", ConfigName))
	}
	return paths
}

// resolve makes the paths among collections absolute. Those of a project stay
// inside it: searching a cloned folder must not read what lies elsewhere.
func (l *layer) resolve(collections []string) error {
	for i, c := range collections {
		if chroma.IsAddress(c) {
			if !l.trusted {
				return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s: a project's file can't set an endpoint (%s)", l.origin, c),
					Hint: "put it into your own " + userFiles()[0] + ", or use --collection"}
			}
			continue
		}
		if !isPath(c) {
			if err := checkName(c); err != nil {
				return err
			}
			continue
		}
		path := l.path(c)
		if !l.trusted && !inside(path, l.dir) {
			return &winnow.Error{Code: winnow.BadInput,
				Message: fmt.Sprintf("%s: a project's file can't name %s, which is outside of the project", l.origin, c),
				Hint:    "put it into your own " + userFiles()[0] + ", or use --in"}
		}
		collections[i] = filepath.Clean(path)
	}
	return nil
}

// path is one as the layer means it: relative to where the layer lies.
func (l *layer) path(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, path)
	}
	return path
}

// isPath tells a path from the name of a collection, which holds no "/" and
// begins with no dot.
func isPath(s string) bool {
	return strings.ContainsRune(s, '/') || strings.HasPrefix(s, ".")
}

// inside reports whether path is folder or below it, after links are followed
// as far as the path exists.
func inside(path, folder string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

func readLayer(path string, trusted bool) (*layer, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: path + " can't be read", Hint: "give yourself the right to read it", Err: err}
	}
	if err != nil {
		return nil, err
	}
	return parseLayer(path, data, trusted)
}
