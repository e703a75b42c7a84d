package builtin

import (
	"maps"
	"slices"
	"testing"
)

func TestQuestionsAreTakenApartByTheirForm(t *testing.T) {
	for name, c := range map[string]struct {
		question string
		parts    []string
		names    []string
		quoted   []string
		numbers  []string // the terms that are
		compares bool
	}{
		"one fact":            {question: "How high is Mount Aske?", names: []string{"mount aske"}},
		"one word":            {question: "Kittiwake", names: []string{"kittiwake"}},
		"only words that ask": {question: "what which who"},
		"two clauses": {question: "Who keeps the harbour light and where does the ferry land?",
			parts: []string{"Who keeps the harbour light", "where does the ferry land?"}},
		"a clause that says too little": {question: "Who builds the flood barrier and what does it cost?",
			parts: []string{"Who builds the flood barrier"}},
		"clauses with numbers": {question: "Which company that makes paper, whose founder was mayor in 1874, pays 12,000 pounds for the ferry?",
			parts: []string{"makes paper", "whose founder was mayor in 1874", "pays 12,000 pounds for the ferry?"},
			names: []string{"12000"}, numbers: []string{"1874", "12", "000"}},
		"quotes": {question: `Which magazine printed "The Paper Year" before 'A Slow River' was sold in 1987?`,
			parts: []string{`Which magazine printed "The Paper Year"`, "'A Slow River' was sold in 1987?"},
			names: []string{"paper year", "slow river"}, quoted: []string{"the paper year", "a slow river"}, numbers: []string{"1987"}},
		"typographic quotes": {question: "Who bound “The Paper Year”?", names: []string{"paper year"}, quoted: []string{"the paper year"}},
		"which first": {question: "Which was founded first, the Aske Observatory or the Petrel Trust?",
			parts: []string{"Aske Observatory", "Petrel Trust", "Which was founded first"}, names: []string{"aske observatory", "petrel trust"}, compares: true},
		"both": {question: "Were Agnes Tolliver and Clara Halloran both connected with Leipsworth?",
			parts: []string{"Agnes Tolliver", "Clara Halloran", "Clara Halloran both connected with Leipsworth?"},
			names: []string{"agnes tolliver", "agnes tolliver and clara halloran", "clara halloran", "leipsworth"}, compares: true},
		"older than": {question: "Is Ada Doranson older than Celia Doranson?",
			parts: []string{"Ada Doranson", "Celia Doranson"}, names: []string{"ada doranson", "celia doranson"}, compares: true},
		"no more parts than three": {question: "Is Ada Doranson older than Celia Doranson, Bram Doranson or Falk Doranson?",
			parts: []string{"Ada Doranson", "Celia Doranson", "Bram Doranson"},
			names: []string{"ada doranson", "bram doranson", "celia doranson", "falk doranson"}, compares: true},
		"the X of the Y of Z": {question: "Who is the mother of the director of the film Night Harvest?",
			parts: []string{"the director of the film Night Harvest"}, names: []string{"night harvest"}},
		"the X of the Y of the Z of W": {question: "What is the birthplace of the wife of the founder of the firm Quillfeather Limited?",
			parts: []string{"the firm Quillfeather Limited"}, names: []string{"quillfeather limited"}},
		"a date": {question: "After the flood of 14 March 1901 who rebuilt the bridge?",
			parts: []string{"14 March 1901", "After the flood of 14 March 1901", "rebuilt the bridge?"}, names: []string{"14 march", "14 march 1901", "march 1901"}, numbers: []string{"14", "1901"}},
	} {
		t.Run(name, func(t *testing.T) {
			q := NewModel(nil).question(c.question)
			var parts, numbers []string
			for _, p := range q.parts {
				parts = append(parts, p.text)
			}
			q.numbers.each(func(i int) { numbers = append(numbers, q.terms[i]) })
			for _, x := range []struct {
				what      string
				got, want []string
			}{
				{"parts", parts, c.parts}, {"names", slices.Sorted(maps.Keys(q.names)), c.names}, {"quotes", q.quoted, c.quoted}, {"numbers", numbers, c.numbers},
			} {
				if !slices.Equal(x.got, x.want) {
					t.Errorf("%s are %q, not %q", x.what, x.got, x.want)
				}
			}
			if q.compares != c.compares {
				t.Errorf("compares: %v", q.compares)
			}
		})
	}
}

func FuzzQuestion(f *testing.F) {
	for _, g := range goldenQuestions {
		f.Add(g.question)
	}
	f.Add("'''' \"\" “” of of of , , and\xff and <|end|> 1,000,000.5")
	model := NewModel(nil)
	f.Fuzz(func(t *testing.T, text string) {
		q := model.question(text)
		if len(q.terms) > maxTerms || len(q.words) != len(q.terms) || len(q.parts) > maxParts {
			t.Errorf("%d terms, %d words, %d parts", len(q.terms), len(q.words), len(q.parts))
		}
		for _, p := range q.parts {
			if p.mask.count() < partTerms || p.mask != model.mask(q, p.text) {
				t.Errorf("part %q has %d terms", p.text, p.mask.count())
			}
		}
	})
}
