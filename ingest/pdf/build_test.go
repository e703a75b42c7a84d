package pdf

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"strings"
	"testing"
)

// builder writes a PDF file object by object.
type builder struct {
	bytes.Buffer
	offsets []int
	// encrypt, where set, encrypts the streams and strings of an object.
	encrypt func(number int, data string) string
}

func newBuilder() *builder {
	b := &builder{}
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	return b
}

// add writes an object and returns its number.
func (b *builder) add(body string) int {
	b.offsets = append(b.offsets, b.Len())
	n := len(b.offsets)
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", n, body)
	return n
}

func (b *builder) stream(dict, data string) int {
	if b.encrypt != nil {
		data = b.encrypt(len(b.offsets)+1, data)
	}
	return b.add(fmt.Sprintf("<<%s /Length %d>>\nstream\n%s\nendstream", dict, len(data), data))
}

func (b *builder) finish(trailer string) []byte {
	start := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(b.offsets)+1)
	for _, o := range b.offsets {
		fmt.Fprintf(b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(b, "trailer\n<</Size %d %s>>\nstartxref\n%d\n%%%%EOF\n", len(b.offsets)+1, trailer, start)
	return b.Bytes()
}

// pages builds a file of pages with the given contents; fonts are the
// definitions of /F1, /F2, …
func (b *builder) pages(contents []string, fonts ...string) (root int) {
	if len(fonts) == 0 {
		fonts = []string{"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}
	}
	resources := "<</Font<<"
	for i, f := range fonts {
		resources += fmt.Sprintf("/F%d %d 0 R ", i+1, b.add(f))
	}
	resources += ">>>>"
	var streams []int
	for _, c := range contents {
		streams = append(streams, b.stream("", c))
	}
	first := len(b.offsets) + 1
	tree := first + len(contents)
	kids := ""
	for i, s := range streams {
		kids += fmt.Sprintf("%d 0 R ", first+i)
		b.add(fmt.Sprintf("<</Type/Page/Parent %d 0 R/Contents %d 0 R>>", tree, s))
	}
	b.add(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/Resources %s>>", len(contents), kids, resources))
	return b.add(fmt.Sprintf("<</Type/Catalog/Pages %d 0 R>>", tree))
}

// simple is a file of pages that show one line each.
func simple(lines ...string) []byte {
	b := newBuilder()
	var contents []string
	for _, l := range lines {
		contents = append(contents, "BT /F1 12 Tf 72 700 Td ("+l+") Tj ET")
	}
	root := b.pages(contents)
	return b.finish(fmt.Sprintf("/Root %d 0 R", root))
}

func pack(data string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(data))
	w.Close()
	return b.String()
}

// modern is a file with object and cross-reference streams, packed with a
// predictor, as recent programs write them.
func modern(content string) []byte {
	b := newBuilder()
	packed := pack(content)
	stream := b.stream("/Filter/FlateDecode", packed)
	objects := []string{
		"<</Type/Catalog/Pages 11 0 R>>",
		"<</Type/Pages/Count 1/Kids[12 0 R]>>",
		fmt.Sprintf("<</Type/Page/Parent 11 0 R/Contents[%d 0 R]/Resources<</Font<</F1 13 0 R>>>>>>", stream),
		"<</Type/Font/Subtype/Type1/BaseFont/Times/Encoding/WinAnsiEncoding>>",
	}
	var header, body strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&header, "%d %d ", 10+i, body.Len())
		body.WriteString(o + " ")
	}
	holder := b.stream(fmt.Sprintf("/Type/ObjStm/N %d/First %d/Filter/FlateDecode", len(objects), header.Len()), pack(header.String()+body.String()))

	rows := [][4]byte{}
	row := func(kind byte, second int, third byte) {
		rows = append(rows, [4]byte{kind, byte(second >> 8), byte(second), third})
	}
	row(0, 0, 255)
	row(1, b.offsets[stream-1], 0)
	row(1, b.offsets[holder-1], 0)
	start := b.Len()
	row(1, start, 0)
	for i := range objects {
		row(2, holder, byte(i))
	}
	var table, above [4]byte
	var predicted strings.Builder
	for _, r := range rows { // predictor "up"
		for i := range r {
			table[i] = r[i] - above[i]
		}
		predicted.WriteByte(2)
		predicted.Write(table[:])
		above = r
	}
	b.stream("/Type/XRef/Size 14/W[1 2 1]/Index[0 4 10 4]/Root 10 0 R/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>", pack(predicted.String()))
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// locked is a file encrypted with RC4 under a user password.
func locked(password, line string) []byte {
	pad := func(s string) []byte { return append([]byte(s), passwordPad...)[:32] }
	owner := strings.Repeat("o", 32)
	h := md5.New()
	h.Write(pad(password))
	h.Write([]byte(owner))
	h.Write([]byte{0xFC, 0xFF, 0xFF, 0xFF})
	h.Write([]byte("id"))
	key := h.Sum(nil)[:5]
	crypt := func(key []byte, data string) string {
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		out := make([]byte, len(data))
		c.XORKeyStream(out, []byte(data))
		return string(out)
	}
	b := newBuilder()
	b.encrypt = func(number int, data string) string {
		sum := md5.Sum(append(append([]byte{}, key...), byte(number), byte(number>>8), 0, 0, 0))
		return crypt(sum[:10], data)
	}
	root := b.pages([]string{"BT /F1 12 Tf 72 700 Td (" + line + ") Tj ET"})
	user := crypt(key, string(passwordPad))
	return b.finish(fmt.Sprintf("/Root %d 0 R/ID[<%x><%x>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%x>/U<%x>>>", root, "id", "id", owner, user))
}

func mustRead(t *testing.T, data []byte) *Document {
	t.Helper()
	d, err := Read(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
