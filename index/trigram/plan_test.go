package trigram

import (
	"regexp"
	"strings"
	"testing"
)

func TestPlanAsksForTheTrigramsThatEveryMatchHas(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{`hello`, `"ell" & "hel" & "llo"`},
		{`Hello`, `"ell" & "hel" & "llo"`},
		{`(?i)hello world`, `" wo" & "ell" & "hel" & "llo" & "lo " & "o w" & "orl" & "rld" & "wor"`},
		{`func New[A-F]`, `" ne" & "c n" & "fun" & "nc " & "new" & "unc" & ("ewa" | "ewb" | "ewc" | "ewd" | "ewe" | "ewf")`},
		{`func New[A-Z]\w*\(`, `" ne" & "c n" & "fun" & "nc " & "new" & "unc" & ("ewa" | "ewb" | "ewc" | "ewd" | "ewe" | "ewf" | "ewg" | "ewh" | "ewi" | "ewj" | "ewk" | "ewl" | 14 more)`},
		{`foo.*bar`, `"bar" & "foo"`},
		{`(foo|bar)baz`, `"baz" & (("arb" & "bar" & "rba") | ("foo" & "oba" & "oob"))`},
		{`(abc|abd)e`, `("abc" & "bce") | ("abd" & "bde")`},
		{`(abc|abd|abe|abf|abg)h`, `("abc" | "abd" | "abe" | "abf" | "abg") & ("bch" | "bdh" | "beh" | "bfh" | "bgh")`},
		{`hello|world`, `("ell" & "hel" & "llo") | ("orl" & "rld" & "wor")`},
		{`abc|abcd`, `"abc"`},
		{`abc|abcd|xyz`, `"abc" | "xyz"`},
		{`colou?r`, `"col" & "olo" & ("lor" | ("lou" & "our"))`},
		{`a+b`, `all`},
		{`a+bc`, `"abc"`},
		{`(abc)+`, `"abc"`},
		{`a{3}`, `"aaa"`},
		{`a{12}b`, `"aaa" & "aab"`},
		{`(ab){2,}`, `"aba" & "bab"`},
		{`(abc)?`, `all`},
		{`(abc){0,4}d`, `all`},
		{`abc{0,1}d`, `"abd" | ("abc" & "bcd")`},
		{`x{0}yz!`, `"yz!"`},
		{`[0-9]{3}`, `all`},
		{`[ab]c[de]`, `"acd" | "ace" | "bcd" | "bce"`},
		{`\babc\b`, `"abc"`},
		{`(?m)^abc$`, `"abc"`},
		{`(?s)a.c`, `all`},
		{`.*`, `all`},
		{`^$`, `all`},
		{``, `all`},
		{`ab`, `all`},
		{`[^\x00-\x{10FFFF}]`, `none`},
		{`abc[^\x00-\x{10FFFF}]|xyz`, `"xyz"`},
		{`é!`, `"é!"`},
		{`(?i)É!`, `"É!" | "é!"`},
		{`(?i)cat`, `"cat"`},
		{`(?i)ski`, `"ski" | ("\xbfki" & "` + "\u017f" + `k") | ("s\xe2\x84" & "\x84\xaai" & "` + "\u212a" + `") | ("\x84\xaai" & "\xbf\xe2\x84" & "` + "\u017f" + `\xe2" & "` + "\u212a" + `")`},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			if got := Plan(regexp.MustCompile(c.pattern)).String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestPlanOfDigitsListsThemAll(t *testing.T) {
	query := Plan(regexp.MustCompile(`[0-9]{3}-[0-9]{4}`))
	if query.Op != And || len(query.Trigrams) != 0 || len(query.Sub) != 3 {
		t.Fatalf("want three lists, got %s", query)
	}
	for i, first := range []string{`"-00" | "-01" | `, `"0-0" | "0-1" | `, `"00-" | "01-" | `} {
		if sub := query.Sub[i]; sub.Op != Or || len(sub.Trigrams) != 100 || !strings.HasPrefix(sub.String(), first) {
			t.Errorf("want 100 alternatives from %s, got %s", first, sub)
		}
	}
}

func TestLiteralIsThePlanOfTheQuotedText(t *testing.T) {
	for _, text := range []string{"", "ab", "a.b*c", "Straße", "日本"} {
		got, want := Literal(text).String(), Plan(regexp.MustCompile(regexp.QuoteMeta(text))).String()
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestPlanOfPOSIXSyntaxIsSafe(t *testing.T) {
	if got := Plan(regexp.MustCompilePOSIX(`(a**)bc`)).Op; got != All {
		t.Errorf("got %v, want All: Perl syntax can't read it", got)
	}
}
