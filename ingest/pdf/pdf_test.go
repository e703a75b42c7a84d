package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

func texts(d *Document) []string {
	var out []string
	for _, p := range d.Pages {
		out = append(out, p.Text)
	}
	return out
}

func TestPagesInOrder(t *testing.T) {
	d := mustRead(t, simple("First page", "Second \\(page\\)"))
	if got := texts(d); !reflect.DeepEqual(got, []string{"First page", "Second (page)"}) {
		t.Fatalf("pages %q", got)
	}
}

func TestObjectStreams(t *testing.T) {
	d := mustRead(t, modern("BT /F1 10 Tf (Packed text) Tj ET"))
	if got := texts(d); !reflect.DeepEqual(got, []string{"Packed text"}) {
		t.Fatalf("pages %q", got)
	}
}

// Words and lines follow from how the pen moves, whatever the file's way of
// moving it.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"spaces", "(one two) Tj", "one two"},
		{"kerning and gaps", "[(W)80(ord)-333(gap)-20(s)] TJ", "Word gaps"},
		{"next line", "(one) Tj 0 -14 Td (two) Tj", "one\ntwo"},
		{"next line by leading", "14 TL (one) Tj T* (two) Tj (three) '", "one\ntwo\nthree"},
		{"next paragraph", "(one) Tj 0 -40 Td (two) Tj", "one\n\ntwo"},
		{"cells", "(a) Tj 200 0 Td (b) Tj", "a\tb"},
		{"matrices", "1 0 0 1 72 500 Tm (one) Tj 1 0 0 1 72 480 Tm (two) Tj", "one\ntwo"},
		{"divided word", "(exam-) Tj 0 -14 Td (ple, well-) Tj 0 -14 Td (Known) Tj", "example, well-\nKnown"},
		{"superscript", "(x) Tj 4 Ts (2) Tj 0 Ts ( y) Tj", "x2 y"},
		{"rotated", "0 1 -1 0 100 100 Tm (up) Tj 0 1 -1 0 114 100 Tm (wards) Tj", "up\nwards"},
		{"rise and scaling", "50 Tz (narrow) Tj 100 Tz", "narrow"},
		{"image between", "(a) Tj ET BI /W 1 /H 1 ID \x00(EI\xff EI BT /F1 12 Tf 100 700 Td (b) Tj", "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuilder()
			root := b.pages([]string{"BT /F1 12 Tf 72 700 Td " + c.content + " ET"})
			d := mustRead(t, b.finish(fmt.Sprintf("/Root %d 0 R", root)))
			if got := d.Pages[0].Text; got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
		})
	}
}

func TestFonts(t *testing.T) {
	b := newBuilder()
	mapping := b.stream("", `begincmap 1 begincodespacerange <0000><FFFF> endcodespacerange
2 beginbfchar <0001> <0041> <0002> <D83DDE00> endbfchar
2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<FB01> <00660066>] endbfrange endcmap`)
	for _, c := range []struct{ name, font, show, want string }{
		{"WinAnsi", "/Type1/Encoding/WinAnsiEncoding", "(\\200 \\223q\\224 \\344)", "€ “q” ä"},
		{"MacRoman", "/Type1/Encoding/MacRomanEncoding", "(\\212)", "ä"},
		{"standard", "/Type1", "(a`b'\\256)", "a‘b’fi"},
		{"differences", "/Type1/Encoding<</Differences[1/eacute/f_i/uni20AC 65/zero/ffi.alt/g123]>>", "(\\001\\002\\003ABC)", "éfi€0ffi"},
		{"ToUnicode", fmt.Sprintf("/Type0/Encoding/Identity-H/ToUnicode %d 0 R/DescendantFonts[<</DW 600/W[1[500 500]16 18 400]>>]", mapping), "<00010002001000110012002000210099>", "A😀abcfiff"},
		{"Unicode codes", "/Type0/Encoding/UniGB-UCS2-H/DescendantFonts[<<>>]", "<4E2D6587>", "中文"},
		{"unknown codes", "/Type0/Encoding/Identity-H/DescendantFonts[<<>>]", "<00010002>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &builder{Buffer: *bytes.NewBuffer(bytes.Clone(b.Bytes())), offsets: append([]int{}, b.offsets...)}
			root := b.pages([]string{"BT /F1 12 Tf " + c.show + " Tj ET"}, "<</Type/Font/Subtype"+c.font+">>")
			d := mustRead(t, b.finish(fmt.Sprintf("/Root %d 0 R", root)))
			if got := d.Pages[0].Text; got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
		})
	}
}

func TestForms(t *testing.T) {
	b := newBuilder()
	font := b.add("<</Type/Font/Subtype/Type1>>")
	form := b.stream(fmt.Sprintf("/Subtype/Form/Matrix[1 0 0 1 0 -50]/Resources<</Font<</F1 %d 0 R>>>>", font), "BT /F1 12 Tf (inside) Tj ET /X Do")
	content := b.stream("", "BT /F1 12 Tf (outside) Tj ET q /X Do Q")
	page := b.add(fmt.Sprintf("<</Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>/XObject<</X %d 0 R>>>>>>", content, font, form))
	root := b.add(fmt.Sprintf("<</Pages<</Kids[%d 0 R]>>>>", page))
	d := mustRead(t, b.finish(fmt.Sprintf("/Root %d 0 R", root)))
	if got := d.Pages[0].Text; !strings.HasPrefix(got, "outside") || !strings.Contains(got, "inside") {
		t.Fatalf("text %q", got)
	}
}

func TestTitleAndBookmarks(t *testing.T) {
	b := newBuilder()
	root := b.pages([]string{"", "", "", ""})
	first := root - 5 // the first page
	b.add(fmt.Sprintf("<</Title(One)/Dest[%d 0 R/Fit]/First %d 0 R/Next %d 0 R>>", first, root+2, root+3))
	b.add(fmt.Sprintf("<</Title<FEFF00C4>/A<</S/GoTo/D(name)>>>>"))
	b.add(fmt.Sprintf("<</Title(Two)/Dest[%d 0 R]/Next %d 0 R>>", first+3, root+1)) // a cycle
	catalog := b.add(fmt.Sprintf("<</Pages %d 0 R/Outlines<</First %d 0 R>>/Names<</Dests<</Kids[<</Limits[(a)(z)]/Names[(name)<</D[%d 0 R]>>]>>]>>>>>>", root-1, root+1, first+1))
	info := b.add("<</Title(A \\376title)/Author<FEFF0041>>>")
	d := mustRead(t, b.finish(fmt.Sprintf("/Root %d 0 R/Info %d 0 R", catalog, info)))
	if d.Title != "A þtitle" || d.Author != "A" {
		t.Errorf("title %q, author %q", d.Title, d.Author)
	}
	var got []string
	for _, p := range d.Pages {
		got = append(got, p.Heading)
	}
	if want := []string{"One", "One > Ä", "One > Ä", "Two"}; !reflect.DeepEqual(got, want) {
		t.Errorf("headings %q", got)
	}
}

func TestFilters(t *testing.T) {
	f := &file{fuel: 1 << 20}
	run := func(filter, data string) string {
		d := (&lexer{data: []byte("<<" + filter + ">>"), fuel: &f.fuel}).object(false).(dict)
		return string(f.content(&stream{dict: d, raw: []byte(data)}))
	}
	for _, c := range []struct{ filter, data, want string }{
		{"", "plain", "plain"},
		{"/Filter/FlateDecode", pack("packed"), "packed"},
		{"/Filter/FlateDecode", pack(strings.Repeat("half ", 9000))[:60], strings.Repeat("half ", 9000)[:0]},
		{"/Filter/ASCIIHexDecode", "48 65 6C6c6F7>", "Hellop"},
		{"/Filter/ASCII85Decode", "87cURD]i,\"Ebo80~>", "Hello World!"},
		{"/Filter/RunLengthDecode", "\x02abc\xfed\x80zzz", "abcddd"},
		{"/Filter[/ASCIIHexDecode/FlateDecode]", fmt.Sprintf("%x>", pack("twice")), "twice"},
		{"/Filter/LZWDecode", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", "-----A---B"},
		{"/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 3>>", pack("\x00abc\x01a\x01\x01\x02\x01\x01\x01\x03\x01\x01\x01\x04\x01\x01\x01"), ""},
		{"/Filter/FlateDecode/DecodeParms<</Predictor 2/Columns 3>>", pack("a\x01\x01b\x01\x01"), "abcbcd"},
		{"/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 99999999999>>", pack("abc"), ""},
		{"/Filter/DCTDecode", "image", ""},
	} {
		got := run(c.filter, c.data)
		if strings.Contains(c.filter, "15") {
			if len(got) != 15 || got[:9] != "abcabcbcd" {
				t.Errorf("%s gives %q", c.filter, got)
			}
			continue
		}
		if got != c.want && !strings.HasPrefix(strings.Repeat("half ", 9000), got) {
			t.Errorf("%s gives %q, want %q", c.filter, got, c.want)
		}
	}
}

// The files in testdata were encrypted by another program.
func TestEncryption(t *testing.T) {
	for _, name := range []string{"rc4-128", "aes-128", "aes-256-r5", "aes-256-r6"} {
		data, err := os.ReadFile("testdata/" + name + ".pdf")
		if err != nil {
			t.Fatal(err)
		}
		d := mustRead(t, data)
		if got := texts(d); !reflect.DeepEqual(got, []string{"Open to all"}) || d.Title != "A title" {
			t.Errorf("%s: title %q, pages %q", name, d.Title, got)
		}
	}
	if got := texts(mustRead(t, locked("", "Open to all"))); !reflect.DeepEqual(got, []string{"Open to all"}) {
		t.Errorf("pages %q", got)
	}
	closed, err := os.ReadFile("testdata/aes-256-locked.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{closed, locked("secret", "Hidden")} {
		if _, err := Read(data, Limits{}); !errors.Is(err, ErrEncrypted) {
			t.Errorf("error %v", err)
		}
	}
}

// A damaged file is searched for its objects.
func TestDamagedFilesAreSearched(t *testing.T) {
	whole := simple("Still there")
	for name, data := range map[string][]byte{
		"wrong offsets":   append(append([]byte{}, whole[:20]...), append([]byte("%junk that shifts\n"), whole[20:]...)...),
		"no table":        whole[:bytes.Index(whole, []byte("xref"))],
		"junk before":     append([]byte("HTTP/1.1 200 OK\r\n\r\n"), whole...),
		"wrong length":    bytes.Replace(whole, []byte("/Length "), []byte("/Length 9"), 1),
		"wrong startxref": bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1),
		"object streams":  bytes.Replace(modern("BT /F1 9 Tf (Still there) Tj ET"), []byte("startxref"), []byte("startxxxx"), 1),
	} {
		d, err := Read(data, Limits{})
		if err != nil || !strings.HasPrefix(d.Pages[0].Text, "Still there") {
			t.Errorf("%s: %+v, error %v", name, d, err)
		}
	}
}

func TestHopelessFilesAreErrors(t *testing.T) {
	for name, data := range map[string]string{
		"empty":     "",
		"text":      "no PDF at all",
		"header":    "%PDF-1.4\n",
		"no pages":  "%PDF-1.4\n1 0 obj <</Type/Catalog>> endobj trailer <</Root 1 0 R>>",
		"self":      "%PDF-1.4\n1 0 obj 1 0 R endobj trailer <</Root 1 0 R>>",
		"page loop": "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Kids[2 0 R 2 0 R]>> endobj trailer <</Root 1 0 R>>",
	} {
		if d, err := Read([]byte(data), Limits{}); err == nil {
			t.Errorf("%s gives %+v", name, d)
		}
	}
}

// What a file claims must not decide what is allocated or how long is worked.
func TestHostileFilesAreBounded(t *testing.T) {
	bomb := newBuilder()
	packed := pack(pack(strings.Repeat("[", 50<<20)))
	content := bomb.stream("/Filter[/FlateDecode/FlateDecode]", packed)
	page := bomb.add(fmt.Sprintf("<</Contents[%s]>>", strings.Repeat(fmt.Sprintf("%d 0 R ", content), 1000)))
	root := bomb.add(fmt.Sprintf("<</Pages<</Kids[%d 0 R]>>>>", page))
	for name, data := range map[string][]byte{
		"nesting":    []byte("%PDF-1.4\n" + strings.Repeat("[", 1<<20)),
		"table size": []byte("%PDF-1.4\nxref\n0 999999999999\ntrailer<</Size 99999999999>>\nstartxref\n9\n"),
		"table at":   []byte("%PDF-1.4\nxref\n99999999999 1\n0000000000 00000 n\ntrailer<</Size 9>>\nstartxref\n9\n"),
		"widths":     []byte("%PDF-1.4\n1 0 obj<</Type/XRef/W[9999999 1 1]/Size 99999999/Length 2>>stream\nab\nendstream endobj\nstartxref\n9\n"),
		"bomb":       bomb.finish(fmt.Sprintf("/Root %d 0 R", root)),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Read(data, Limits{Fuel: 64 << 20})
			if err == nil && len(d.Pages) > 1 {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	data := simple("one", "two", "three")
	for _, l := range []Limits{{Pages: 2}, {Text: 5}} {
		d, err := Read(data, l)
		if err != nil || len(d.Pages) != 2 || !d.Cut {
			t.Errorf("with %+v: %+v, error %v", l, d, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(simple("One", "Two"))
	f.Add(modern("BT /F1 10 Tf [(a)-300(b)] TJ ET"))
	f.Add(locked("", "x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(data, Limits{Fuel: 1 << 20})
		if err == nil && len(d.Pages) == 0 {
			t.Fatal("neither pages nor an error")
		}
	})
}
