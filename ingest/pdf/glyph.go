package pdf

import (
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// glyphNames are the names that fonts give to characters other than letters and
// digits, as far as texts in Latin script and their formulas use them, each with
// its character. Accented letters are composed from the base and the accent.
const glyphNames = `
exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk *
plus + comma , hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9
colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^
underscore _ grave ` + "`" + ` quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚ quotedblbase „
braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ currency ¤ yen ¥ brokenbar ¦ section §
dieresis ¨ copyright © ordfeminine ª guillemotleft « guillemotright » guilsinglleft ‹ guilsinglright › logicalnot ¬
registered ® macron ¯ degree ° plusminus ± twosuperior ² threesuperior ³ onesuperior ¹ acute ´ mu µ paragraph ¶
periodcentered · cedilla ¸ ordmasculine º onequarter ¼ onehalf ½ threequarters ¾ questiondown ¿ AE Æ ae æ Oslash Ø
oslash ø Eth Ð eth ð Thorn Þ thorn þ germandbls ß multiply × divide ÷ OE Œ oe œ Lslash Ł lslash ł dotlessi ı
dotlessj ȷ florin ƒ circumflex ˆ tilde ˜ caron ˇ breve ˘ dotaccent ˙ ring ˚ ogonek ˛ hungarumlaut ˝ endash – emdash —
dagger † daggerdbl ‡ bullet • ellipsis … perthousand ‰ fraction ⁄ Euro € trademark ™ ff ff fi fi fl fl ffi ffi ffl ffl
Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π
Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ
iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω
infinity ∞ partialdiff ∂ summation ∑ product ∏ integral ∫ radical √ approxequal ≈ notequal ≠ lessequal ≤ greaterequal ≥
element ∈ arrowleft ← arrowup ↑ arrowright → arrowdown ↓ arrowboth ↔ lozenge ◊ angbracketleft ⟨ angbracketright ⟩
similar ∼ equivalence ≡ universal ∀ existential ∃ union ∪ intersection ∩ propersubset ⊂ logicaland ∧ logicalor ∨
asteriskmath ∗ circlecopyrt © openbullet ◦ checkmark ✓`

// accents are the endings of names of accented letters, with the combining
// mark.
var accents = []struct{ name, mark string }{
	{"grave", "\u0300"}, {"acute", "\u0301"}, {"circumflex", "\u0302"}, {"tilde", "\u0303"}, {"macron", "\u0304"},
	{"breve", "\u0306"}, {"dotaccent", "\u0307"}, {"dieresis", "\u0308"}, {"ring", "\u030A"},
	{"hungarumlaut", "\u030B"}, {"caron", "\u030C"}, {"commaaccent", "\u0326"}, {"cedilla", "\u0327"}, {"ogonek", "\u0328"},
}

var namedGlyphs = sync.OnceValue(func() map[string]string {
	m := map[string]string{"space": " ", "nbspace": " ", "visiblespace": " "}
	fields := strings.Fields(glyphNames)
	for i := 0; i+1 < len(fields); i += 2 {
		m[fields[i]] = fields[i+1]
	}
	return m
})

// glyphText returns the characters that a glyph's name stands for, "" where the
// name says nothing.
func glyphText(glyph string) string {
	glyph, _, _ = strings.Cut(glyph, ".") // "a.sc" is a small capital a
	if len(glyph) == 1 {
		return glyph
	}
	if s, ok := namedGlyphs()[glyph]; ok {
		return s
	}
	if first, rest, ok := strings.Cut(glyph, "_"); ok && first != "" { // "f_i"
		return glyphText(first) + glyphText(rest)
	}
	for _, prefix := range [...]string{"uni", "u"} {
		digits, ok := strings.CutPrefix(glyph, prefix)
		if !ok || len(digits) < 4 || len(digits) > 6 {
			continue
		}
		if r, err := strconv.ParseInt(digits, 16, 32); err == nil {
			return clean(string(rune(r)))
		}
	}
	for _, accent := range accents {
		letter, ok := strings.CutSuffix(glyph, accent.name)
		if letter == "dotlessi" {
			letter = "i"
		}
		if ok && len(letter) == 1 {
			return norm.NFC.String(letter + accent.mark)
		}
	}
	return ""
}

// standardUpper is the upper half of StandardEncoding from 0xA0 on; a space
// stands for no character (annex D.2).
const standardUpper = " ¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    "

func standardEncoding(c byte) string {
	switch {
	case c == '\'':
		return "’"
	case c == '`':
		return "‘"
	case c >= ' ' && c < 0x7F:
		return string(rune(c))
	case c < 0xA0:
		return ""
	}
	if r := []rune(standardUpper)[c-0xA0]; r != ' ' {
		return clean(string(r))
	}
	return ""
}
