package harmony

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestArgumentsAreMended(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"as they are":           {`{"query": "x"}`, `{"query": "x"}`},
		"space around":          {" {\"a\": 1}\n", `{"a": 1}`},
		"nothing":               {" ", `{}`},
		"garbage behind":        {`{"query": "x"}} assistant`, `{"query": "x"}`},
		"garbage before":        {`json {"query": "x"}`, `{"query": "x"}`},
		"an escape of an RE":    {`{"pattern": "\d+\.\w"}`, `{"pattern": "\\d+\\.\\w"}`},
		"a string of JSON":      {`"{\"query\": \"x\"}"`, `{"query": "x"}`},
		"a bracket missing":     {`{"ids": ["a", "b"]`, `{"ids": ["a", "b"]}`},
		"cut in an id":          {`{"chunk_ids": ["doc_1", "doc_1`, `{"chunk_ids": ["doc_1"]}`},
		"cut in the only value": {`{"query": "half a que`, `{}`},
		"cut in a key":          {`{"query": "x", "wh`, `{"query": "x"}`},
		"cut behind a key":      {`{"query": "x", "where": `, `{"query": "x"}`},
		"cut behind a comma":    {`{"chunk_ids": ["a",`, `{"chunk_ids": ["a"]}`},
		"cut behind an escape":  {`{"a": "x", "query": "y\`, `{"a": "x"}`},
		"cut and badly escaped": {`{"pattern": "\d", "query": "y`, `{"pattern": "\\d"}`},
		"cut in a batch":        {`[{"tool_name": "a", "parameters": {"q": "x"}}, {"tool_name": "b", "parameters": {"q": "y`, `[{"tool_name": "a", "parameters": {"q": "x"}}, {"tool_name": "b", "parameters": {}}]`},
	} {
		got, mended, ok := arguments(c.text)
		if got != c.want || !ok || mended != (c.want != strings.TrimSpace(c.text)) {
			t.Errorf("%s: %s (mended %v, ok %v)", name, got, mended, ok)
		}
	}
}

func TestArgumentsThatCannotBeMendedStayAsTheyAre(t *testing.T) {
	for _, text := range []string{`the director's name`, `{"query": 5x}`, `5`, strings.Repeat("[", 1000)} {
		if got, mended, ok := arguments(text); got != text || mended || ok {
			t.Errorf("%q became %q (ok %v)", text, got, ok)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"pattern": "\d+", "a": [`)
	f.Add(`[{"a": "b`)
	f.Add(`"{{,"`)
	f.Add("{\"a\": \"\\u12\x00\xff\"]")
	f.Fuzz(func(t *testing.T, text string) {
		given, _, ok := arguments(text)
		if ok && !json.Valid([]byte(given)) {
			t.Fatalf("%q became %q", text, given)
		}
		if !ok && given != text {
			t.Fatalf("%q became %q and is not mended", text, given)
		}
		if again, mended, still := arguments(given); ok && (again != given || mended || !still) {
			t.Fatalf("%q was mended again, to %q", given, again)
		}
	})
}
