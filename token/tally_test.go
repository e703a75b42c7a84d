package token

import (
	"math/rand/v2"
	"testing"
)

// seams are texts that begin and end in every way that matters where two texts
// meet.
var seams = []string{
	"", " ", "  ", "\n", "\r\n", " \n ", "\t", "\u00a0", "a", "A", "the", " The", "THE", "'", "'s", "'LL", "s", "l", "1", "12", "345", ".", "!!", "/", "//\n", "字", "漢字A", "\u0301", "e\u0301", "😀",
	"\xe5", "\xad\x97", "\xff", "\x80", "<|end|>", "hello world", "don", "t do it", "x = 10\n\n", "    return y", "[Token usage: 1,024/32,768]", "\n# DOCUMENT ID: a_1 (12 tokens) \n",
}

func TestTalliesJoinToTheCountOfTheWhole(t *testing.T) {
	for _, a := range seams {
		for _, b := range seams {
			for _, c := range seams {
				whole := Measure(a + b + c)
				left := Measure(a).Join(Measure(b)).Join(Measure(c))
				right := Measure(a).Join(Measure(b).Join(Measure(c)))
				if left != whole || right != whole {
					t.Fatalf("%q, %q, %q\n   whole %+v\n(a+b)+c %+v\na+(b+c) %+v", a, b, c, whole, left, right)
				}
				if got, want := whole.Tokens(), Count(a+b+c); got != want {
					t.Fatalf("Measure(%q).Tokens() = %d, Count is %d", a+b+c, got, want)
				}
			}
		}
	}
}

func TestTheZeroTallyIsTheEmptyText(t *testing.T) {
	var zero Tally
	if zero != Measure("") || zero != Specials(0) || zero.Tokens() != 0 {
		t.Fatalf("Measure(\"\") = %+v", Measure(""))
	}
}

func TestSpecialTokensSeparateText(t *testing.T) {
	for _, a := range seams {
		for _, b := range seams {
			got := Measure(a).Join(Specials(2)).Join(Measure(b)).Tokens()
			if want := Count(a) + 2 + Count(b); got != want {
				t.Fatalf("%q, two special tokens, %q: %d, want %d", a, b, got, want)
			}
		}
	}
}

// A tally exists to make a seam cheap, so ordinary text must have breaks near
// its ends.
func TestProseIsMeasuredCloseToItsEnds(t *testing.T) {
	tally := Measure("It rained on Monday. On Tuesday it did not, and nobody could say why.")
	if tally.head != "It" || tally.tail != "." {
		t.Errorf("head %q, tail %q", tally.head, tally.tail)
	}
}

func FuzzIncremental(f *testing.F) {
	for i, text := range seams {
		f.Add(text+seams[len(seams)-1-i]+text, uint64(i))
	}
	texts, _ := golden(f)
	for i, text := range texts {
		f.Add(text, uint64(i))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		var joined Tally
		for at := 0; at < len(text); {
			n := 1 + random.IntN(min(len(text)-at, 9))
			joined = joined.Join(Measure(text[at : at+n]))
			at += n
		}
		if joined != Measure(text) || joined.Tokens() != Count(text) {
			t.Fatalf("%q has %d tokens\n  joined %+v\nmeasured %+v", text, Count(text), joined, Measure(text))
		}
	})
}
