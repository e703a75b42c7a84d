package harmony

import (
	"strings"

	"github.com/winnow-search/winnow"
)

// Declare writes tools as harmony's renderer does: a namespace of functions in
// the manner of TypeScript.
func Declare(tools []winnow.Tool) string {
	var b strings.Builder
	b.WriteString("# Tools\n\n## functions\n\nnamespace functions {\n\n")
	for _, t := range tools {
		comment(&b, t.Description)
		b.WriteString("type " + t.Name + " = (")
		if len(t.Parameters) > 0 {
			b.WriteString("_: {\n")
			for _, p := range t.Parameters {
				comment(&b, p.Description)
				b.WriteString(p.Name)
				if p.Optional {
					b.WriteString("?")
				}
				b.WriteString(": " + typeScript(p) + ",\n")
			}
			b.WriteString("}")
		}
		b.WriteString(") => any;\n\n")
	}
	b.WriteString("} // namespace functions")
	return b.String()
}

func comment(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("// " + line + "\n")
	}
}

// typeScript writes a type as the reference renderer does, with its indents and
// its habit of saying an object's description twice.
func typeScript(p winnow.Parameter) string {
	switch p.Type {
	case winnow.TypeStrings:
		return "string[]"
	case winnow.TypeCalls:
		return "{\n    tool_name: string,\n    parameters: {\n        },\n    }[]"
	case winnow.TypeObject:
		if p.Description == "" {
			return "{\n    }"
		}
		return "    // " + p.Description + "\n{\n    }"
	}
	return string(p.Type)
}
