package ingest

import (
	"bytes"
	"path"
	"strings"
)

// language is what is known of a programming language: how its files are called
// and how declarations begin. It is enough to cut code where a reader would and
// to name what a file declares; it is not a parser, and a declaration written in
// an unusual way is merely not found.
type language struct {
	name       string
	extensions string // also whole file names
	// scoped are keywords that declare at any depth, top those that do so only
	// at the margin, where a local variable can't be.
	scoped, top string
	// calls says that functions and methods are declared without a keyword: a
	// name, parameters in brackets, and a body.
	calls   bool
	comment string // prefixes of lines that belong to the declaration below
}

const (
	slashes = "// /* * */ @ #["
	hashes  = "# @"
)

// languages is searched by extension. The keywords are those that matter for
// boundaries and names, not all.
var languages = [...]language{
	{"go", ".go", "", "func type var const", false, "//"},
	{"python", ".py .pyi .pyw", "def class", "", false, hashes},
	{"javascript", ".js .jsx .mjs .cjs", "function class", "const let var", true, slashes},
	{"typescript", ".ts .tsx .mts .cts", "function class interface enum namespace", "const let var type", true, slashes},
	{"java", ".java", "class interface enum record @interface", "", true, slashes},
	{"kotlin", ".kt .kts", "fun class interface object", "val var typealias", false, slashes},
	{"scala", ".scala .sc", "def class trait object", "val type", false, slashes},
	{"csharp", ".cs", "class interface struct enum record delegate namespace", "", true, slashes},
	{"c", ".c .h", "struct enum union", "typedef #define", true, slashes},
	{"cpp", ".cc .cpp .cxx .hpp .hh .hxx .cu", "class struct enum union namespace", "typedef #define using", true, slashes},
	{"objectivec", ".m .mm", "@interface @implementation @protocol", "#define", true, slashes},
	{"rust", ".rs", "fn struct enum trait impl mod union macro_rules!", "const static type", false, slashes + " ///"},
	{"swift", ".swift", "func class struct enum protocol extension actor", "let var typealias", false, slashes},
	{"dart", ".dart", "class mixin extension enum typedef", "", true, slashes},
	{"php", ".php", "function class interface trait enum", "const", false, slashes + " #"},
	{"ruby", ".rb .rake Rakefile Gemfile", "def class module", "", false, hashes},
	{"elixir", ".ex .exs", "def defp defmodule defmacro defprotocol", "", false, hashes},
	{"lua", ".lua", "function", "local", false, "--"},
	{"perl", ".pl .pm", "sub package", "", false, "#"},
	{"r", ".r", "", "", false, "#"},
	{"julia", ".jl", "function struct module macro", "const", false, hashes},
	{"haskell", ".hs", "", "data type newtype class module", false, "--"},
	{"ocaml", ".ml .mli", "", "let type module val", false, "(*"},
	{"clojure", ".clj .cljs .cljc .edn", "(def (defn (defn- (defmacro (ns (deftype (defprotocol", "", false, ";"},
	{"lisp", ".lisp .el .scm", "(defun (defvar (defmacro (define (defclass", "", false, ";"},
	{"erlang", ".erl .hrl", "", "-module -record -define", false, "%"},
	{"zig", ".zig", "fn", "const var", false, slashes},
	{"shell", ".sh .bash .zsh .fish .ksh", "function", "", true, "#"},
	{"powershell", ".ps1 .psm1", "function class", "", false, "#"},
	{"sql", ".sql", "", "create alter CREATE ALTER Create Alter", false, "--"},
	{"protobuf", ".proto", "message service enum rpc", "", false, slashes},
	{"graphql", ".graphql .gql", "type interface enum input union scalar", "", false, "#"},
	{"terraform", ".tf .hcl", "", "resource module variable output data provider", false, hashes},
	{"css", ".css .scss .less .sass", "", "", false, slashes},
	{"vue", ".vue .svelte", "function class", "const let", true, slashes},
	{"assembly", ".s .asm", "", "", false, ";"},
	{"fortran", ".f90 .f95 .f", "subroutine function module program", "", false, "!"},
	{"nix", ".nix", "", "", false, "#"},
	{"groovy", ".groovy .gradle Jenkinsfile", "def class interface", "", true, slashes},
	{"make", ".mk Makefile makefile GNUmakefile", "", "", false, "#"},
	{"docker", ".dockerfile Dockerfile Containerfile", "", "FROM", false, "#"},
	{"cmake", ".cmake CMakeLists.txt", "", "function macro", false, "#"},
}

// languageOf returns the language of a file by its name, nil if that tells
// none.
func languageOf(name string) *language {
	extension := strings.ToLower(path.Ext(name))
	for i := range languages {
		for known := range strings.FieldsSeq(languages[i].extensions) {
			if known == extension || known == name {
				return &languages[i]
			}
		}
	}
	return nil
}

// languageOfScript returns the language of a script by the interpreter in its
// first line.
func languageOfScript(data []byte) *language {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	command, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	for field := range bytes.FieldsSeq(command) {
		switch strings.TrimRight(path.Base(string(field)), "0123456789.") {
		case "sh", "bash", "zsh", "dash", "ksh", "fish":
			return languageOf(".sh")
		case "python":
			return languageOf(".py")
		case "node", "deno", "bun":
			return languageOf(".js")
		case "ruby":
			return languageOf(".rb")
		case "perl":
			return languageOf(".pl")
		case "php":
			return languageOf(".php")
		case "lua":
			return languageOf(".lua")
		}
	}
	return nil
}
