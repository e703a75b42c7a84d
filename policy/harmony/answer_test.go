package harmony

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestFinalMessageIsTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		view    *winnow.View
		want    string // ids with their justifications
		flagged bool
	}{
		"bare ids":           {"<Document id=a_b_1><Justification>x</Justification></Document>", context1(), "a_b_1:x", false},
		"quoted ids":         {`<Document id="a_1"><Justification>x</Justification></Document><Document id='b 1'></Document>`, context1(), "a_1:x b 1:", false},
		"a path":             {"<Document id=docs/a-b.md_10><Justification>x</Justification></Document>", context1(), "docs/a-b.md_10:x", false},
		"nothing closed":     {"<Document id=a><Justification>x\n<Document id=b><Justification>y", context1(), "a:x b:y", false},
		"one of them twice":  {"<Document id=a></Document><Document id=b></Document><Document id=a></Document>", context1(), "a: b:", false},
		"cut in an id":       {"<Document id=a></Document><Document id=b_", context1(), "a:", false},
		"said to be none":    {"<None/>", context1(), "", false},
		"words":              {"Nothing in the corpus helps.", context1(), "", true},
		"ids in words":       {"It was film_12, and then (film_1).", context1(), "film_12: film_1:", true},
		"longer ids":         {"film_123 and film_1_0 are others", context1(), "", true},
		"handles in words":   {"[c12] says more than c1.", winnowView(), "c12: c1:", true},
		"an unknown handle":  {"c13", winnowView(), "", true},
		"thirty-one of them": {many(31), context1(), "", true},
	} {
		a := answerOf(c.text, c.view)
		var got []string
		for _, s := range a.Selected {
			got = append(got, s.ID+":"+s.Justification)
		}
		if name == "thirty-one of them" {
			if len(got) != maxDocuments || got[29] != "d29:" {
				t.Errorf("%s: %q", name, got)
			}
		} else if strings.Join(got, " ") != c.want || a.Selected == nil {
			t.Errorf("%s: %q", name, got)
		}
		if (len(a.Flags) > 0) != c.flagged {
			t.Errorf("%s: flags %q", name, a.Flags)
		}
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<Document id=d%d></Document>", i)
	}
	return b.String()
}

func TestReasoningIsAnAnswerOnlyWhereItNamesChunks(t *testing.T) {
	if a := reasoned("It must be film_12.", context1()); a == nil || len(a.Selected) != 1 || len(a.Flags) == 0 {
		t.Errorf("%+v", a)
	}
	for _, text := range []string{"", "No idea.", "<None/>"} {
		if a := reasoned(text, context1()); a != nil {
			t.Errorf("%q: %+v", text, a)
		}
	}
}
