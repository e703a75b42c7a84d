package endpoint

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func all(t *testing.T, stream string) (list []string) {
	t.Helper()
	for data, err := range Events(strings.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(data))
	}
	return list
}

func TestEventsAreReadAsTheStandardHasThem(t *testing.T) {
	for stream, want := range map[string][]string{
		"data: a\n\ndata: b\n\n":                             {"a", "b"},
		"data:a\r\n\r\ndata: b\r\n\r\n":                      {"a", "b"},
		"event: x\nid: 1\ndata: a\nretry: 3\n\n":             {"a"},
		": a comment\n\ndata: a\n: another\ndata: b\n\n":     {"a\nb"},
		"data:  two spaces\n\n":                              {" two spaces"},
		"data: {\"a\": \"b: c\"}\n\n":                        {`{"a": "b: c"}`},
		"event: only a name\n\ndata:\n\ndata\n\ndata: a\n\n": {"a"},
		"data: a\n\ndata: half of one":                       {"a"},
		"data: a\n\ndata: one that is not ended\n":           {"a"},
		"database: a\n\nno event at all\n\n<html>\n\n\n\n":   nil,
		"": nil,
	} {
		if got := all(t, stream); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q", stream, got)
		}
	}
}

func TestAStreamThatFailsSaysSo(t *testing.T) {
	why := errors.New("reset")
	var got []error
	for _, err := range Events(iotest.DataErrReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("data: a\n\n"))))) {
		got = append(got, err)
	}
	if len(got) != 1 || !errors.Is(got[0], iotest.ErrTimeout) {
		t.Errorf("got %v", got)
	}
	for _, err := range Events(iotest.ErrReader(why)) {
		if err != why {
			t.Errorf("got %v", err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\ndata:b\r\n\r\n", "data\n\ndata:\ndata: x\n\n", ": c\n\nevent: e\ndata: {}\n\n", "\n\n\ndata", "data: \xff\x00\r\r\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		whole := all(t, stream)
		var inBytes []string
		for data := range Events(iotest.OneByteReader(strings.NewReader(stream))) {
			inBytes = append(inBytes, string(data))
		}
		if !reflect.DeepEqual(whole, inBytes) {
			t.Errorf("%q at once, %q in bytes", whole, inBytes)
		}
		var again strings.Builder
		for _, data := range whole {
			again.WriteString("data: " + strings.ReplaceAll(data, "\n", "\r\ndata: ") + "\r\n\r\n")
		}
		if got := all(t, again.String()); !reflect.DeepEqual(got, whole) {
			t.Errorf("%q is written and read as %q", whole, got)
		}
	})
}
