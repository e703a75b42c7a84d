package endpoint

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

func TestAddressesAreRead(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:11434":        "http://localhost:11434/v1",
		"http://localhost:8000/v1/":     "http://localhost:8000/v1",
		"https://a/v1/chat/completions": "https://a/v1",
		"https://a/v1/completions?q=1":  "https://a/v1",
		"http://h/engines/llama.cpp/v1": "http://h/engines/llama.cpp/v1",
		"":                              "",
		"localhost:8000":                "",
		"ftp://x":                       "",
		"http://user:secret@host/":      "",
	} {
		u, err := Base(address)
		if want == "" {
			if winnow.CodeOf(err) != winnow.BadInput || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v", address, err)
			}
		} else if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v", address, u, err)
		}
	}
}

func TestEveryServersListOfModelsIsRead(t *testing.T) {
	for body, want := range map[string][]Model{
		`{"data":[{"id":"b","max_model_len":8},{"id":"a"}]}`:       {{"a", 0}, {"b", 8}},
		`{"data":[{"id":"g","context_length":9}]}`:                 {{"g", 9}},
		`{"data":[{"id":"l","meta":{"n_ctx":4096}}],"models":[]}`:  {{"l", 4096}},
		`{"data":[{"id":"o:latest","created":1,"owned_by":"me"}]}`: {{"o:latest", 0}},
		`{"data":null}`: {},
	} {
		got, err := ParseModels([]byte(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
	if _, err := ParseModels([]byte("<html>")); err != ErrForm {
		t.Error("a page is a list of models")
	}
}

func TestAModelIsServedUnderItsNameOrItsDefaultTag(t *testing.T) {
	models := []Model{{ID: "a:latest"}, {ID: "b"}}
	for name, want := range map[string]bool{"a": true, "a:latest": true, "b": true, "c": false, "b:latest": false} {
		if got := Served(models, name) != nil; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if hint := Names(make([]Model, 20)); !strings.HasSuffix(hint, "or one of 8 others") {
		t.Errorf("twenty models are %q", hint)
	}
}

func TestAServersSentenceIsFound(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"No.","code":"bad"}}`: "No. (bad)",
		`{"error":{"message":"No.","code":400}}`:   "No.",
		`{"error":"No."}`:                          "No.",
		`{"detail":"No."}`:                         "No.",
		`{"message":"No.","object":"error"}`:       "No.",
		`{"detail":[{"loc":1}]}`:                   `[{"loc":1}]`,
		"no json":                                  "no json",
		"<html>No.</html>":                         "",
	} {
		if got := Sentence([]byte(body)); got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

func TestAPriceIsForAMillionTokens(t *testing.T) {
	if c := (Price{}).Cost(1e6, 0, 1e6); c != nil {
		t.Errorf("an unknown price makes a cost of %v", *c)
	}
	for _, c := range []struct {
		price Price
		want  float64
	}{{Price{Prompt: 2, Completion: 10}, 12}, {Price{Prompt: 2, Completion: 10, Cached: 1}, 11.5}} {
		if got := c.price.Cost(1e6, 5e5, 1e6); got == nil || *got != c.want {
			t.Errorf("%+v costs %v, not %v", c.price, got, c.want)
		}
	}
}

func FuzzWordsOfAServer(f *testing.F) {
	for _, seed := range []string{`{"data":[{"id":"a","meta":{"n_ctx":1}}]}`, `{"error":{"message":"key"}}`, `{"detail":[1]}`, "<html>", "\xff\xfe", `{"error":null,"message":""}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if models, err := ParseModels(body); err == nil && Names(models) == "" && len(models) == 0 {
			t.Error("no models make no hint")
		}
		const key = "key-1234"
		if said := Quote(Sentence(body)+key, key); said == nil || strings.Contains(said.Error(), key) || len(said.Error()) > QuoteLen+len(" …") || !utf8.ValidString(said.Error()) {
			t.Errorf("%q is quoted as %q", body, said)
		}
	})
}
