package trigram

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// check fails if re matches text and the plan would not have found it.
func check(t *testing.T, re *regexp.Regexp, query Query, text string) (matched bool) {
	t.Helper()
	if !re.MatchString(text) {
		return false
	}
	has := plainSet(text)
	if !query.Holds(func(tri Trigram) bool { return has[tri] }) {
		t.Fatalf("%q matches %q, which fails the query %s", re, text, query)
	}
	return true
}

func TestWhatMatchesIsNeverMissed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rounds = 3000
	matched, asked := 0, 0
	for range rounds {
		pattern := randomPattern(rng, 4)
		re, err := regexp.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		query := Plan(re)
		if query.Op != All {
			asked++
		}
		for range 3 {
			if check(t, re, query, noise(rng)+sample(rng, parse(pattern))+noise(rng)) {
				matched++
			}
		}
	}
	if matched < rounds || asked < rounds/4 {
		t.Errorf("%d texts matched and %d queries asked for something: too few to prove anything", matched, asked)
	}
}

func TestTextsThatAreEasilyMissed(t *testing.T) {
	for _, c := range []struct{ pattern, text, why string }{
		{`(?i)task`, "ta\u017f\u212a", "k and s fold to runes beyond ASCII"},
		{`(?i)\x{212a}elvin`, "kelvin", "and back"},
		{`a\x{FFFD}b`, "a\xffb", "an invalid byte is read as U+FFFD"},
		{`ab[\x{FFFC}-\x{FFFD}]cd`, "ab\xffcd", "also in a class"},
		{`xz([a-c]?){4}yw`, "xzabcayw", "four optional copies are more than three"},
		{`ab(?:|c)d`, "abd", "an empty alternative"},
		{`(?m)abc$\s^def`, "abc\ndef", "anchors take no room"},
		{`(?i:A)BC`, "aBC", "the case of the text does not count"},
	} {
		re := regexp.MustCompile(c.pattern)
		if !check(t, re, Plan(re), c.text) {
			t.Errorf("%s: %q does not match %q", c.why, c.pattern, c.text)
		}
	}
}

func FuzzPlan(f *testing.F) {
	for _, pattern := range []string{
		`func New[A-Z]`, `(?i)hello world`, `foo.*bar`, `(abc|abd)e`, `a+b`, `[0-9]{3}-[0-9]{4}`, `.*`, `^$`,
		`(?i)kiss the task`, `(?i)[k-s]{2,5}x`, `\x{FFFD}\x{FFFD}abc`, `[^a]bcd`, `(?i)ſtraße`, `(?U)a*?b+?c{2,}`,
		`(a|ab|abc|)(d|de)?f`, `((((a{3}){3}){3}){3}){3}`, `\pLx\PN`, `(?m)^\s*$`, `\Qa.b\E`, `[[:word:]]-\b\B`,
	} {
		f.Add(pattern, "some text that KISSES func NewA hello World 555-1234 abde", uint64(1))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, seed uint64) {
		if len(pattern) > 200 {
			return
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		query := Plan(re)
		check(t, re, query, text)
		rng := rand.New(rand.NewPCG(seed, 0))
		check(t, re, query, text+sample(rng, parse(pattern)))
		check(t, re, query, sample(rng, parse(pattern))+text)
	})
}

// large are patterns of up to 1,000 bytes that make sets grow.
func large() map[string]string {
	return map[string]string{
		"classes":  strings.Repeat(`[ab]x[ab]y`, 100),
		"digits":   strings.Repeat(`[0-9]{2}`, 125),
		"folded":   "(?i)" + strings.Repeat("sk", 498),
		"branches": distinctWords(160),
		"optional": strings.Repeat("(a|b)?", 160),
		"nested":   strings.Repeat("(", 150) + "abc[de]f" + strings.Repeat("|xyz)+", 150),
		"repeats":  strings.Repeat("(", 4) + strings.Repeat("[ab]c", 20) + strings.Repeat("){3}", 4),
		"lists":    eachLetter(`(?s)`, `_\d\d.*`),
		"choices":  eachLetter(`(?s)`, `_\d\d.|`) + "!!!",
		"pairs":    "(?s)" + strings.Repeat(`[a-j]\d.`, 120),
	}
}

func TestPlansOfLargePatternsAreSmallAndSafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, pattern := range large() {
		re := regexp.MustCompile(pattern)
		query := Plan(re)
		if n := query.leaves(); n > maxLeaves {
			t.Errorf("%s: %d leaves", name, n)
		}
		if !check(t, re, query, sample(rng, parse(pattern))) {
			t.Errorf("%s does not match its own sample", name)
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	patterns := large()
	patterns["typical"] = `(?i)func New[A-Z]\w*\(ctx`
	for name, pattern := range patterns {
		re := regexp.MustCompile(pattern)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Plan(re)
			}
		})
	}
}

// eachLetter repeats part with a to z in the place of "_".
func eachLetter(before, part string) string {
	for r := 'a'; r <= 'z'; r++ {
		before += strings.ReplaceAll(part, "_", string(r))
	}
	return before
}

func distinctWords(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = "w" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "xy"
	}
	return strings.Join(words, "|")
}

func parse(pattern string) *syntax.Regexp {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return tree
}

// alphabet has the letters whose folding leaves ASCII, a rune of each length, an
// invalid byte and the rune it is read as.
var alphabet = []string{"a", "b", "c", "k", "s", "A", "K", "S", "\u212a", "\u017f", "é", "É", "ß", "日", "😀", "\n", " ", "-", "\xff", "\uFFFD"}

func noise(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(4) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

func randomPattern(rng *rand.Rand, depth int) string {
	part := func() string { return randomPattern(rng, depth-1) }
	choice := rng.IntN(12)
	if depth == 0 {
		choice %= 4
	}
	switch choice {
	case 0, 1:
		var b strings.Builder
		for range 1 + rng.IntN(5) {
			s := alphabet[rng.IntN(len(alphabet)-2)]
			b.WriteString(regexp.QuoteMeta(s))
		}
		return b.String()
	case 2:
		classes := []string{`[a-c]`, `[^a]`, `\d`, `[ks]`, `[A-Z]`, `[é-ü]`, `\x{FFFD}`, `\pL`, `[\x{FFF0}-\x{FFFF}]`}
		return classes[rng.IntN(len(classes))]
	case 3:
		marks := []string{`.`, `^`, `$`, `\b`, `\B`, `(?s:.)`, ``, `(?m:^)`, `(?m:$)`}
		return marks[rng.IntN(len(marks))]
	case 4, 5, 6:
		return part() + part()
	case 7, 8:
		return "(?:" + part() + "|" + part() + "|" + part() + ")"
	case 9:
		return "(?i:" + part() + ")"
	default:
		counts := []string{"*", "+", "?", "{2}", "{3}", "{4}", "{2,3}", "{0,2}", "{0}", "{1,}", "*?", "+?"}
		return "(" + part() + ")" + counts[rng.IntN(len(counts))]
	}
}

// sample returns a string that re matches, assertions aside.
func sample(rng *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		var b strings.Builder
		for _, r := range re.Rune {
			for range rng.IntN(4) * int(re.Flags&syntax.FoldCase) {
				r = unicode.SimpleFold(r)
			}
			b.WriteString(encode(rng, r))
		}
		return b.String()
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return ""
		}
		i := rng.IntN(len(re.Rune)/2) * 2
		low, high := re.Rune[i], re.Rune[i+1]
		if low <= utf8.RuneError && utf8.RuneError <= high && rng.IntN(2) == 0 {
			return "\xfe"
		}
		return encode(rng, low+rng.Int32N(min(high-low+1, 60)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return alphabet[rng.IntN(len(alphabet))]
	case syntax.OpCapture:
		return sample(rng, re.Sub[0])
	case syntax.OpAlternate:
		return sample(rng, re.Sub[rng.IntN(len(re.Sub))])
	case syntax.OpConcat:
		return samples(rng, re.Sub...)
	case syntax.OpStar:
		return times(rng, re.Sub[0], rng.IntN(4))
	case syntax.OpPlus:
		return times(rng, re.Sub[0], 1+rng.IntN(4))
	case syntax.OpQuest:
		return times(rng, re.Sub[0], rng.IntN(2))
	case syntax.OpRepeat:
		more := 3
		if re.Max >= 0 {
			more = re.Max - re.Min
		}
		return times(rng, re.Sub[0], re.Min+rng.IntN(more+1))
	}
	return ""
}

func encode(rng *rand.Rand, r rune) string {
	if r == utf8.RuneError && rng.IntN(2) == 0 {
		return "\xff"
	}
	return string(r)
}

func times(rng *rand.Rand, re *syntax.Regexp, n int) string {
	var b strings.Builder
	for ; n > 0 && b.Len() < 1<<16; n-- {
		b.WriteString(sample(rng, re))
	}
	return b.String()
}

func samples(rng *rand.Rand, list ...*syntax.Regexp) string {
	var b strings.Builder
	for _, re := range list {
		b.WriteString(sample(rng, re))
	}
	return b.String()
}
