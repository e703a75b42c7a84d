package chat

import "strings"

// dialect is what a server turned out to understand. It is learned from what it
// refuses, one thing at a time, and kept for the policy's life.
type dialect struct {
	// reasoning is the field in which reasoning goes back: the one it came in.
	// Empty means that the server takes it in none.
	reasoning string
	// completion sends max_completion_tokens in place of max_tokens.
	completion bool
	// folded writes notes behind the last result, for templates that insist on
	// user and assistant in turn.
	folded bool
	// without names parameters that are left out.
	without map[string]bool
}

func newDialect() dialect {
	return dialect{reasoning: "reasoning_content", without: map[string]bool{}}
}

// learn takes in why a request was refused and reports whether the next one will
// be another.
func (d *dialect) learn(said string) bool {
	said = strings.ToLower(said)
	switch {
	case strings.Contains(said, "max_completion_tokens") && !d.completion:
		d.completion = true
	case strings.Contains(said, "alternat") && strings.Contains(said, "role") && !d.folded:
		d.folded = true
	case d.reasoning != "" && strings.Contains(said, d.reasoning) && d.reasoning != "reasoning":
		d.reasoning = ""
	case d.reasoning == "reasoning" && strings.Contains(said, "'reasoning'"): // the bare word may mean anything
		d.reasoning = ""
	default:
		for _, name := range []string{"temperature", "top_p", "seed", "stream_options", "strict"} {
			if strings.Contains(said, name) && !d.without[name] {
				d.without[name] = true
				return true
			}
		}
		return false
	}
	return true
}
