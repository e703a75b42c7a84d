package token

import (
	"fmt"
	"unicode/utf8"
)

// The special tokens of o200k_harmony that have a meaning. The other ids from
// firstSpecial up to vocabularySize are reserved.
const (
	StartOfText ID = 199998
	EndOfText   ID = 199999
	Return      ID = 200002 // ends a completion with the final answer
	Constrain   ID = 200003 // names the format of what follows, such as json
	Channel     ID = 200005
	Start       ID = 200006 // begins a message, before its role
	End         ID = 200007 // ends a message
	Message     ID = 200008 // ends a message's header, before its content
	Call        ID = 200012 // ends a completion with a tool call
)

const (
	firstSpecial   ID = 199998
	vocabularySize ID = 201088
)

// Special reports whether id is a control token of the model rather than text.
func (id ID) Special() bool { return id >= firstSpecial }

func (id ID) specialText() string {
	switch id {
	case StartOfText:
		return "<|startoftext|>"
	case EndOfText:
		return "<|endoftext|>"
	case Return:
		return "<|return|>"
	case Constrain:
		return "<|constrain|>"
	case Channel:
		return "<|channel|>"
	case Start:
		return "<|start|>"
	case End:
		return "<|end|>"
	case Message:
		return "<|message|>"
	case Call:
		return "<|call|>"
	}
	if id >= vocabularySize {
		return string(utf8.RuneError)
	}
	return fmt.Sprintf("<|reserved_%d|>", uint32(id))
}
