package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// encoding is one golden case. Text that is not UTF-8 is given as bytes.
type encoding struct {
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	IDs   []uint `json:"ids"`
}

// golden returns the golden cases as JSON, one to a line.
func (v *vocabulary) golden() ([]byte, error) {
	var lines [][]byte
	for _, text := range slices.Concat(written(), mixed(rand.New(rand.NewPCG(200, 19)), 200), broken) {
		e := encoding{IDs: v.encode(text)}
		if utf8.ValidString(text) {
			e.Text = text
		} else {
			e.Bytes = []byte(text)
		}
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return fmt.Appendf(nil, "[\n%s\n]\n", bytes.Join(lines, []byte(",\n"))), nil
}

// written returns the cases chosen by hand: each alternative of the pattern,
// the places where it backtracks, and scripts with their own habits.
func written() []string {
	cases := []string{
		"", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\t", "\t\t", " \n", "\n ", "\n  \n", " \n \n ", "\u00a0", "\u00a0\u00a0x", "\u3000\u3000",
		"\u2028", "\u2029x", "\u0085", "\u0085a", "\u200b", "\ufeffstart", "\v\f", " \t ", "a \n", "a  \n  b", "a\n\n\n   b", "a\r\n\tb", "  \t5", "x   5", "x  !", "x \t!",
		"hello", "Hello", "HELLO", " hello", "hello world", "Hello, world!", "Hello  World", "hello   world  ", "  indented", "camelCase", "PascalCase", "HTTPServer", "iPhone", "eBay's", "aB", "AbC", "ABc",
		"The quick brown fox jumps over the lazy dog.", "It was the best of rooms, it was the worst of rooms.",
		"I'm you're he's she'll we've they'd don't", "I'M YOU'RE HE'S SHE'LL WE'VE THEY'D DON'T", "I'm'm", "'s", " 's", "x's's", "it'S", "y'all'd've", "l'été", "o'clock", "rock 'n' roll", "'lL", "a'lL", "a'Ll", "a'rE", "a'Ve", "a'l", "a'r", "a'v", "a'", "a''s", "5's", "!'s", "'re", "a'ſ", "A'ſb", "aſ", "don’t", "字's", "e\u0301's", "\u0301's",
		"0", "12", "123", "1234", "12345", "123456", "1234567", "3.14159", "1,234,567.89", "-42", "1e-10", "0xdeadbeef", "192.168.0.1", "2024-02-29T23:59:59Z", "x1y22z333", "½ ⅓ Ⅷ ①②③", "٠١٢٣٤٥", "१२३४", "a1B2",
		"!", "!!", "...", "?!", "a.b", "a...b", "(x)", "[x]", "{x}", "!\n", "!\n\n", "!\r\n/", "//\n//", "!\n/\n/x", "!/", "/usr/local/bin", "http://example.com/a?b=c&d=e#f", "C:\\dir\\file.txt", "user@example.com", "#hash @at $cash %per ^hat &and *star", " !", "  !", "\t!", "\n!", " \n!", "a !b", "=====", "-----\n-----", "“quoted” — dashed – text…",
		"func main() {\n\tfmt.Println(\"hi\")\n}\n", "def f(x):\n    return x**2  # square\n", "if (a && b || !c) { d[i] += e->f; }\n", "<div class=\"a\">&nbsp;</div>", "{\"k\": [1, 2.5, null, true]}", "SELECT * FROM t WHERE a >= 10;\r\n", "\\frac{a}{b} \\sum_{i=0}^{n}", "snake_case_name __init__ CONST_VALUE", "a\t\tb\t\t\tc",
		"你好，世界！", "我们今天去北京大学。", "日本語のテキストと漢字、カタカナ。", "한국어 문장입니다.", "字AB", "字ABc", "AB字CD", "A字b", "中文English混排123数字", "ーーー", "々", "ﾊﾝｶｸ",
		"مرحبا بالعالم", "السَّلَامُ عَلَيْكُمْ", "שלום עולם", "שָׁלוֹם", "नमस्ते दुनिया", "สวัสดีชาวโลก", "Привет, мир!", "Γειά σου Κόσμε", "Xin chào thế giới", "ქართული", "አማርኛ", "ᏣᎳᎩ", "ǅ ǈ ǋ", "ǅa", "ß ẞ ı İ", "ʰʷ", "𝒜𝓑𝒸", "𐐀𐐨",
		"e\u0301", "E\u0301", "\u0301", "\u0301\u0301", "a\u0301B\u0301", " \u0301", "!\u0301", "!!\u0301", "!!\u0301a", "\u0301AB", "\u0301ABc", "\n\u0301", "1\u0301", "Z\u0335a\u0336l\u0337g\u0338o\u0334", "\u20dd\u20e3",
		"😀", "😀😃😄", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "#️⃣", "a😀b", " 😀", "😀\n", "✓ ✗ ★", "→←↑↓", "¯\\_(ツ)_/¯",
		"<|start|>", "<|end|>", "<|endoftext|>", "<|return|>", "<|channel|>analysis<|message|>", "a<|call|>b", "<|constrain|>json", "<|reserved_200000|>", "<|startoftext|>", "<|", "|>", "<| start |>", "<|start", "＜|start|＞",
		"\x00", "\x00\x00\x01", "a\x00b", "\x1b[31mred\x1b[0m", "\x7f", "\ufffd", "\uffff", "\U0010ffff", "\ue000",
		"antidisestablishmentarianism", "pneumonoultramicroscopicsilicovolcanoconiosis", "Donaudampfschifffahrtsgesellschaftskapitän", "zxqjvkwpzxqjvk", "TGVzdCBiYXNlNjQgc3RyaW5n", "9f86d081884c7d659a2feaa0c55ad015",
	}
	for _, unit := range []string{"a", "A", " ", "\n", "\t", "\r\n", " \n", "!", "=", "-", "/", "ab", "Ab", "字", "は", "é", "e\u0301", "7", "😀", "\u00a0", "xyzzy", "'s", "ا"} {
		for _, n := range []int{3, 7, 17, 63, 65, 130, 300} {
			cases = append(cases, strings.Repeat(unit, n), "x"+strings.Repeat(unit, n)+"y")
		}
	}
	return cases
}

// mixed returns n random strings of fragments that meet at every kind of seam.
func mixed(random *rand.Rand, n int) []string {
	cases := make([]string, n)
	for i := range cases {
		var text strings.Builder
		for range 1 + random.IntN(12) {
			text.WriteString(fragments[random.IntN(len(fragments))])
		}
		cases[i] = text.String()
	}
	return cases
}

var fragments = []string{
	" ", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "a", "A", "the", "The", "THE", " of", "ing", "Ing", "tion", "Xq", "é", "É", "ß", "ǅ", "ʰ", "字", "漢字", "かな", "한", "ع", "مر", "\u0301", "\u064e", "\u0e31",
	"1", "42", "2024", "½", "٣", "'", "'s", "'S", "'ll", "'RE", "'ſ", "’", ".", ",", "!", "?!", "/", "//", "\\", "_", "-", "—", "(", ")", "\"", "#", "<|end|>", "😀", "👍🏽", "\u200d", "\x00", "\ufffd",
}

// broken is text that is not UTF-8.
var broken = []string{
	"\xff", "\x80", "\xc3", "a\xffb", " \xff", "\xff\xfe\xfd", "\xe4\xbd", "\xe4\xbd x", "x\xe4\xbd", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80", "caf\xe9 cr\xe8me", "\xe9t\xe9", "\n\xff\n", "\xff\n/", "1\xff2", "\xff's", "字\xe5字", strings.Repeat("\xff", 100), strings.Repeat("\xe5\xad", 50), "\xf0\x9f\x98 \xf0\x9f\x98\x80",
}
