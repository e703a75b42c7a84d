package runs

import (
	"os"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyTheNewestRunsAreKept(t *testing.T) {
	kept := Folder{Dir: t.TempDir(), most: 3, bytes: 100}
	left := func(sizes ...int) string {
		for i, size := range sizes {
			write(t, kept.Path(string(rune('a'+i))), strings.Repeat("x", size))
		}
		kept.Trim()
		return strings.Join(kept.List(), "")
	}
	for _, c := range []struct {
		sizes []int
		want  string
	}{
		{nil, ""}, {[]int{1, 1, 1}, "abc"}, {[]int{1, 1, 1, 1, 1}, "cde"}, {[]int{60, 60, 40}, "bc"}, {[]int{1, 500}, "b"},
	} {
		for _, id := range kept.List() {
			os.Remove(kept.Path(id))
		}
		if got := left(c.sizes...); got != c.want {
			t.Errorf("of the sizes %v, %q are kept and not %q", c.sizes, got, c.want)
		}
	}
}

func TestARunIsFoundByTheBeginningOfItsName(t *testing.T) {
	kept := Folder{Dir: t.TempDir(), most: 9, bytes: 100}
	for _, id := range []string{"20260101-a", "20260102-a", "20260102-b"} {
		write(t, kept.Path(id), "")
	}
	for name, want := range map[string]string{"last": "20260102-b", "20260101": "20260101-a", "20260102-a": "20260102-a"} {
		if id, _, err := kept.Find(name); id != want || err != nil {
			t.Errorf("%s is %q (%v)", name, id, err)
		}
	}
	for name, want := range map[string]winnow.Code{"20260102": winnow.BadInput, "1999": winnow.NotFound, "": winnow.NotFound, "../x": winnow.NotFound} {
		if id, _, err := kept.Find(name); winnow.CodeOf(err) != want {
			t.Errorf("%q is %q (%v)", name, id, err)
		}
	}
}
