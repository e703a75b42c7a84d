package harmony

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

type golden struct {
	Name string
	View winnow.View
	IDs  []token.ID
}

func goldens(t testing.TB) []golden {
	t.Helper()
	b, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []golden
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// The tokens are those of OpenAI's own renderer; tools/harmony-golden made them.
func TestPromptsAreTokenExact(t *testing.T) {
	cases := goldens(t)
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := harmony.Render(&c.View)
			if !slices.Equal(got, c.IDs) {
				at := 0
				for at < min(len(got), len(c.IDs)) && got[at] == c.IDs[at] {
					at++
				}
				t.Errorf("from token %d on\n got %q\nwant %q", at, token.Decode(got[at:min(at+20, len(got))]), token.Decode(c.IDs[at:min(at+20, len(c.IDs))]))
			}
			if n := harmony.Count(&c.View); n != len(c.IDs) {
				t.Errorf("counted as %d tokens, not %d", n, len(c.IDs))
			}
		})
	}
}
