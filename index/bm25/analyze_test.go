package bm25_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
)

func newAnalyzer(t testing.TB, language string) *bm25.Analyzer {
	t.Helper()
	a, err := bm25.NewAnalyzer(language)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTerms(t *testing.T) {
	for _, c := range []struct{ about, language, text, want string }{
		{"accents fold", "", "Café CAFÉ cafe", "cafe cafe cafe"},
		{"decomposed accents fold alike", "", "cafe\u0301 nai\u0308ve", "cafe naiv"},
		{"ligatures and wide forms unify", "", "ﬁre １２３ Ａｂ", "fire 123 ab"},
		{"letters that are no accents", "none", "Straße STRASSE Øre œuvre Łódź Æsir đ", "strasse strasse ore oeuvre lodz aesir d"},
		{"marks of other scripts stay", "none", "й ё Ёлка", "й ё ёлка"},
		{"Greek accents fold", "none", "Αθήνα ΑΘΗΝΑ", "αθηνα αθηνα"},

		{"possessives go", "", "Smith's Smith’s", "smith smith"},
		{"apostrophes inside words join", "", "don't don’t O'Brien rock'n'roll", "dont dont obrien rocknrol"},
		{"apostrophes around words are borders", "", "'quoted' ’tis dogs'", "quot tis dog"},
		{"an apostrophe at the end", "none", "x' y’", "x y"},

		{"Han come as pairs", "", "東京都", "東京 京都"},
		{"a lone character", "", "日 と", "日 と"},
		{"kana with long sounds", "", "カタカナー", "カタ タカ カナ ナー"},
		{"Hangul come as pairs", "", "한국어", "한국 국어"},
		{"Thai comes as pairs", "", "สวัสดี", "สว วั ัส สด ดี"},
		{"scripts side by side", "", "Go言語入門2026年", "go 言語 語入 入門 2026 年"},

		{"camel case adds parts", "", "NewServer HTTPServer parseURL", "newserv new server httpserver http server parseurl pars url"},
		{"one hump is no part", "", "Server URL server", "server url server"},
		{"snake and kebab are borders", "none", "snake_case kebab-case a.b/c", "snake case kebab case a b c"},

		{"numbers", "", "3.14 1,000 2024-01-02 x86 v2", "3 14 1 000 2024 01 02 x86 v2"},
		{"other numbers", "none", "Ⅷ ½ ²", "viii 1⁄2 2"},
		{"stop words go", "", "the cat is in the hat, and It's not", "cat hat"},
		{"only English has stop words", "none", "to be or not to be", "to be or not to be"},
		{"nothing", "", " \t\n… — !?", ""},
		{"invalid bytes are borders", "none", "ab\xffcd \xc3", "ab cd"},

		{"English", "english", "running runs easily flies", "run run easili fli"},
		{"French", "french", "continuellement chevaux", "continuel cheval"},
		{"Hungarian", "hungarian", "házakban", "haz"},
		{"Norwegian", "norwegian", "havnene havner", "havn havn"},
		{"Russian", "russian", "книгами книги", "книг книг"},
		{"Spanish", "spanish", "corriendo canciones", "corr cancion"},
		{"Swedish", "swedish", "flickorna flickor", "flick flick"},
		{"no language", "none", "running runs", "running runs"},
		{"stemmers see composed accents", "french", "cafés cafe\u0301s", "caf caf"},
	} {
		t.Run(c.about, func(t *testing.T) {
			a := newAnalyzer(t, c.language)
			for range 2 { // the second time from memory
				if got := strings.Join(a.Terms(c.text), " "); got != c.want {
					t.Errorf("%q gives %q, want %q", c.text, got, c.want)
				}
			}
		})
	}
}

func TestLongWordsAreNotStemmed(t *testing.T) {
	long := strings.Repeat("running", 10)
	if got := newAnalyzer(t, "").Terms(long); !slices.Equal(got, []string{long}) {
		t.Errorf("got %q", got)
	}
}

func TestAnUnknownLanguageIsRefusedWithTheKnownOnes(t *testing.T) {
	_, err := bm25.NewAnalyzer("klingon")
	if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), `"klingon"`) {
		t.Errorf("got %v, want a refusal that names klingon", err)
	}
	for _, language := range bm25.Languages {
		if a := newAnalyzer(t, language); a.Language != language {
			t.Errorf("the analyzer of %s says %s", language, a.Language)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "plain words", "don't O’Brien'", "NewServer", "東京都日", "สวัสดี", "e\u0301\u0301", "\xff\xc3a", "ー’a", "a\u0e00b", "İ ﬀ ẞ", "x86_64"} {
		f.Add(s)
	}
	var analyzers []*bm25.Analyzer
	for _, language := range bm25.Languages {
		analyzers = append(analyzers, newAnalyzer(f, language))
	}
	f.Fuzz(func(t *testing.T, text string) {
		lastStart, lastEnd := -1, 0
		bm25.Spans(text, func(start, end int) {
			if start <= lastStart || end <= lastEnd || end > len(text) {
				t.Fatalf("%d–%d comes after %d–%d", start, end, lastStart, lastEnd)
			}
			word := text[start:end]
			if !utf8.ValidString(word) || strings.IndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-_.,:;!?()", r) }) >= 0 {
				t.Fatalf("%q is no word", word)
			}
			lastStart, lastEnd = start, end
		})
		var words []string
		bm25.Words(text, func(word string) { words = append(words, word) })
		for _, a := range analyzers {
			var terms []string
			for _, w := range words {
				terms = a.AppendTerms(terms, w)
			}
			again := a.Terms(text)
			if !slices.Equal(terms, again) || slices.Contains(terms, "") {
				t.Fatalf("%s: %q, then %q", a.Language, terms, again)
			}
		}
	})
}

func TestQuestionsSayWordsWhole(t *testing.T) {
	a := newAnalyzer(t, "")
	got := a.QueryTerms("Who asked TechCrunch, and who asked the NewServer?")
	want := []string{"who", "ask", "techcrunch", "who", "ask", "newserv"}
	if !slices.Equal(got, want) {
		t.Errorf("QueryTerms = %q, want %q", got, want)
	}
}
