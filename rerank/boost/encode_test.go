package boost

import (
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestAModelSurvivesItsEncoding(t *testing.T) {
	m := train(t, invent(1, 40, 30), small)
	got, err := Decode(m.Encode(), invented)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, m) {
		t.Error("another model came back")
	}
}

func TestAModelOfTwoHundredTreesIsSmall(t *testing.T) {
	m := train(t, invent(1, 100, 60), Params{})
	if size := len(m.Encode()); m.Trees() < 190 || size > 40<<10 {
		t.Errorf("%d trees take %d bytes", m.Trees(), size)
	}
}

func TestAModelForOtherFeaturesIsRefused(t *testing.T) {
	data := train(t, invent(1, 40, 30), small).Encode()
	for _, c := range []struct {
		features []string
		says     string
	}{
		{[]string{"signal", "noise", "company"}, `feature 4 is "rare" in the model and nothing here`},
		{[]string{"signal", "noise", "company", "rare", "new"}, `feature 5 is nothing in the model and "new" here`},
		{[]string{"signal", "company", "noise", "rare"}, `feature 2 is "noise" in the model and "company" here`},
		{[]string{}, `feature 1 is "signal" in the model and nothing here`},
	} {
		_, err := Decode(data, c.features)
		if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: got %v", c.features, err)
		}
	}
	m, err := Decode(data, nil)
	if err != nil || !slices.Equal(m.Features(), invented) {
		t.Errorf("nil takes any model: got %v", err)
	}
}

// sealed gives a file body its checksum, so that what lies behind it is reached.
func sealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clip(body), crc32.ChecksumIEEE(body))
}

func TestDecodeRefusesWhatIsNoModel(t *testing.T) {
	good := train(t, invent(1, 10, 30), Params{Trees: 1, MinRows: 1}).Encode()
	head := append([]byte(magic), version)
	leaf := []byte{0, 0, 0, 0, 0}
	one := []byte{1, 1, 'f', 0, 0, 0, 0} // one feature, "f", of gain 0
	body := func(parts ...[]byte) []byte { return sealed(append(slices.Clone(head), slices.Concat(parts...)...)) }
	if _, err := Decode(body(one, []byte{1}, leaf), []string{"f"}); err != nil {
		t.Fatalf("the smallest model: %v", err)
	}
	damagedAt := func(i int) []byte { b := slices.Clone(good); b[i] ^= 4; return b }
	for name, c := range map[string]struct {
		data []byte
		code winnow.Code
	}{
		"nothing":                {nil, winnow.Corrupt},
		"another file":           {[]byte("GIF89a and so on and on"), winnow.Corrupt},
		"only a head":            {head, winnow.Corrupt},
		"a later version":        {sealed(append([]byte(magic), version+1)), winnow.TooNew},
		"cut off":                {good[:len(good)-3], winnow.Corrupt},
		"a bit turned":           {damagedAt(len(good) / 2), winnow.Corrupt},
		"the checksum turned":    {damagedAt(len(good) - 1), winnow.Corrupt},
		"no features":            {body(), winnow.Corrupt},
		"no trees":               {body(one), winnow.Corrupt},
		"too many features":      {body([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), winnow.Corrupt},
		"too many trees":         {body(one, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}), winnow.Corrupt},
		"a long name":            {body([]byte{1, 200, 'f', 0, 0, 0, 0}), winnow.Corrupt},
		"half a tree":            {body(one, []byte{1}, []byte{1, 0, 0, 0, 0}, leaf), winnow.Corrupt},
		"an unknown feature":     {body(one, []byte{1}, []byte{2, 0, 0, 0, 0}, leaf, leaf), winnow.Corrupt},
		"a threshold of NaN":     {body(one, []byte{1}, []byte{1, 0, 0, 0xc0, 0x7f}, leaf, leaf), winnow.Corrupt},
		"an infinite leaf":       {body(one, []byte{1}, []byte{0, 0, 0, 0x80, 0x7f}), winnow.Corrupt},
		"a negative gain":        {body([]byte{1, 1, 'f', 0, 0, 0x80, 0xbf}, []byte{0}), winnow.Corrupt},
		"a rest":                 {body(one, []byte{1}, leaf, leaf), winnow.Corrupt},
		"a tree of 65 leaves":    {body(one, []byte{1}, slices.Repeat([]byte{1, 0, 0, 0, 0}, 64), slices.Repeat(leaf, 65)), winnow.Corrupt},
		"a tree that never ends": {body(one, []byte{1}, slices.Repeat([]byte{1, 0, 0, 0, 0}, 9000)), winnow.Corrupt},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode(c.data, nil); winnow.CodeOf(err) != c.code {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Whatever is decoded can be used, and encoded again.
func FuzzDecode(f *testing.F) {
	good := train(f, invent(1, 10, 30), Params{Trees: 2, MinRows: 1}).Encode()
	body := func(data []byte) []byte { return data[len(magic)+1 : len(data)-crc32.Size] }
	f.Add(body(good))
	f.Add(body(good)[:20])
	f.Add([]byte{1, 1, 'f', 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		data := sealed(append(append([]byte(magic), version), body...))
		m, err := Decode(data, nil)
		if err != nil {
			if winnow.CodeOf(err) != winnow.Corrupt {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		row := make([]float32, len(m.Features()))
		if s := m.Score(row); s != s {
			t.Error("a score is not a number")
		}
		again, err := Decode(m.Encode(), m.Features())
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("it does not survive its encoding: %v", err)
		}
	})
}
