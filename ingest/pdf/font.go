package pdf

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// font says what the codes of a string mean and how wide they are.
type font struct {
	composite bool              // codes are CIDs
	unicode   bool              // codes are UTF-16
	codes     [256]string       // of a simple font
	mapped    map[uint32]string // ToUnicode, by code
	lengths   [5]bool           // of codes in bytes that ToUnicode knows
	widths    map[uint32]float64
	width     float64 // of other codes, in thousandths
}

// glyph is one code of a string.
type glyph struct {
	text  string
	width float64 // in thousandths of the font size
	space bool    // the single byte 32, to which word spacing applies
}

// font returns a font by its resource, read once.
func (f *file) font(o object) *font {
	r, indirect := o.(ref)
	if loaded, ok := f.fonts[r.number]; indirect && ok {
		return loaded
	}
	loaded := f.readFont(f.dict(o))
	if indirect {
		f.fonts[r.number] = loaded
	}
	return loaded
}

func (f *file) readFont(d dict) *font {
	t := &font{widths: map[uint32]float64{}, width: 500}
	base, _ := f.resolve(d["BaseFont"]).(name)
	if strings.Contains(string(base), "Courier") {
		t.width = 600
	}
	if s, ok := f.resolve(d["ToUnicode"]).(*stream); ok {
		t.readMap(f, f.content(s))
	}
	if f.resolve(d["Subtype"]) == name("Type0") {
		t.readComposite(f, d)
		return t
	}
	t.readEncoding(f, d)
	descriptor := f.dict(d["FontDescriptor"])
	t.width = f.number(descriptor["MissingWidth"], t.width)
	first := f.int(d["FirstChar"])
	scale := 1.0
	if matrix, ok := f.resolve(d["FontMatrix"]).(array); ok && len(matrix) == 6 { // Type 3
		scale = f.number(matrix[0], 0.001) * 1000
	}
	for i, w := range f.list(d["Widths"]) {
		t.widths[uint32(first+i)] = f.number(w, 0) * scale
	}
	return t
}

// readComposite reads a font of CIDs (9.7). Without ToUnicode its codes are
// known only where they are Unicode.
func (t *font) readComposite(f *file, d dict) {
	t.composite = true
	encoding, _ := f.resolve(d["Encoding"]).(name)
	t.unicode = strings.Contains(string(encoding), "UCS2") || strings.Contains(string(encoding), "UTF16")
	var descendant dict
	if fonts := f.list(d["DescendantFonts"]); len(fonts) > 0 {
		descendant = f.dict(fonts[0])
	}
	t.width = f.number(descendant["DW"], 1000)
	w := f.list(descendant["W"])
	for len(w) >= 2 {
		first := f.int(w[0])
		if list, ok := f.resolve(w[1]).(array); ok {
			for i, width := range list {
				t.widths[uint32(first+i)] = f.number(width, t.width)
			}
			w = w[2:]
			continue
		}
		if len(w) < 3 {
			break
		}
		width := f.number(w[2], t.width)
		for cid := first; cid <= f.int(w[1]) && cid-first < 1<<16; cid++ {
			t.widths[uint32(cid)] = width
			f.fuel--
		}
		w = w[3:]
	}
}

// readEncoding fills the codes of a simple font (9.6.6).
func (t *font) readEncoding(f *file, d dict) {
	encoding := f.resolve(d["Encoding"])
	differences, _ := encoding.(dict)
	if differences != nil {
		encoding = f.resolve(differences["BaseEncoding"])
	}
	for c := range t.codes {
		switch encoding {
		case name("WinAnsiEncoding"):
			t.codes[c] = string(charmap.Windows1252.DecodeByte(byte(c)))
		case name("MacRomanEncoding"):
			t.codes[c] = string(charmap.Macintosh.DecodeByte(byte(c)))
		default:
			t.codes[c] = standardEncoding(byte(c))
		}
	}
	code := 0
	for _, o := range f.list(differences["Differences"]) {
		switch o := f.resolve(o).(type) {
		case int:
			code = o
		case name:
			if code >= 0 && code < len(t.codes) {
				t.codes[code] = glyphText(string(o))
			}
			code++
		}
	}
}

// glyphs divides a string into codes.
func (t *font) glyphs(s text) []glyph {
	out := make([]glyph, 0, len(s))
	for len(s) > 0 {
		n := t.codeLength(s)
		code := uint32(0)
		for i := range n {
			code = code<<8 | uint32(s[i])
		}
		g := glyph{width: t.width, space: n == 1 && code == ' '}
		if w, ok := t.widths[code]; ok {
			g.width = w
		}
		switch mapped, ok := t.mapped[code]; {
		case ok:
			g.text = mapped
		case t.unicode:
			g.text = string(utf16.Decode([]uint16{uint16(code)}))
		case !t.composite:
			g.text = t.codes[byte(code)]
		}
		out = append(out, g)
		s = s[n:]
	}
	return out
}

func (t *font) codeLength(s text) int {
	switch {
	case !t.composite:
		return 1
	case len(s) < 2 || t.lengths[1] && !t.lengths[2]:
		return 1
	}
	return 2
}

// readMap reads a ToUnicode map (9.10.3).
func (t *font) readMap(f *file, content []byte) {
	t.mapped = map[uint32]string{}
	l := &lexer{data: content, fuel: &f.fuel}
	var operands []object
	for {
		o := l.object(false)
		op, ok := o.(operator)
		if !ok {
			operands = append(operands, o)
			continue
		}
		switch op {
		case end:
			return
		case "endcodespacerange":
			for _, o := range operands {
				if code, ok := o.(text); ok && len(code) < len(t.lengths) {
					t.lengths[len(code)] = true
				}
			}
		case "endbfchar":
			for i := 0; i+1 < len(operands); i += 2 {
				code, _ := operands[i].(text)
				t.mapped[codeOf(code)] = mapText(operands[i+1])
			}
		case "endbfrange":
			for i := 0; i+2 < len(operands); i += 3 {
				t.mapRange(f, operands[i], operands[i+1], operands[i+2])
			}
		}
		operands = operands[:0]
	}
}

func (t *font) mapRange(f *file, low, high, target object) {
	lowCode, _ := low.(text)
	highCode, _ := high.(text)
	first, last := codeOf(lowCode), codeOf(highCode)
	if last < first || last-first > 1<<16 {
		return
	}
	f.fuel -= int(last - first)
	switch target := target.(type) {
	case array:
		for i, o := range target {
			t.mapped[first+uint32(i)] = mapText(o)
		}
	case text:
		units := utf16Units(target)
		if len(units) == 0 {
			return
		}
		for i := range last - first + 1 {
			t.mapped[first+i] = clean(string(utf16.Decode(units)))
			units[len(units)-1]++
		}
	}
}

func codeOf(s text) uint32 {
	code := uint32(0)
	for i := 0; i < len(s) && i < 4; i++ {
		code = code<<8 | uint32(s[i])
	}
	return code
}

func mapText(o object) string {
	switch o := o.(type) {
	case text:
		return clean(string(utf16.Decode(utf16Units(o))))
	case name:
		return glyphText(string(o))
	}
	return ""
}

func utf16Units(s text) []uint16 {
	if len(s) == 1 {
		return []uint16{uint16(s[0])}
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return units
}

// clean expands ligatures and drops what is no text, so that words are found as
// they are typed.
func clean(s string) string {
	if len(s) == 1 && s[0] >= ' ' && s[0] < utf8.RuneSelf {
		return s
	}
	return ligatures.Replace(strings.Map(func(r rune) rune {
		switch {
		case r == '\u00A0':
			return ' '
		case r < ' ', r == 0x7F, r == '\u00AD', r == utf8.RuneError, r == '\uFEFF':
			return -1
		}
		return r
	}, s))
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// textString decodes a string meant for people: UTF-16 or UTF-8 with a mark,
// else Latin-1, which PDFDocEncoding is for letters.
func textString(o object) string {
	s, _ := o.(text)
	switch {
	case strings.HasPrefix(string(s), "\xFE\xFF"):
		return clean(string(utf16.Decode(utf16Units(s[2:]))))
	case strings.HasPrefix(string(s), "\xEF\xBB\xBF"):
		return clean(strings.ToValidUTF8(string(s[3:]), ""))
	}
	decoded, err := charmap.Windows1252.NewDecoder().String(string(s))
	if err != nil {
		return ""
	}
	return clean(decoded)
}
