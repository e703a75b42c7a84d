package corpus

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Questions returns count questions as people type them, each about one of the
// first n passages: six to ten of its words in the order of the text, with
// function words among them.
func (c *Corpus) Questions(n, count int) ([]string, error) {
	function, _ := derive(wordList)
	isFunction := map[string]bool{}
	for _, w := range function {
		isFunction[w] = true
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)<<8|4))
	var questions []string
	i := 0
	for p, err := range c.Passages(n) {
		if err != nil {
			return nil, err
		}
		if i%(n/count) == 0 && len(questions) < count {
			questions = append(questions, question(r, p.Text, isFunction))
		}
		i++
	}
	r.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	return questions, nil
}

var starts = []string{"what is the", "which", "who was the", "when did the", "how does", "where was the", "in what"}

func question(r *rand.Rand, text string, isFunction map[string]bool) string {
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" .,", c) })
	var content []int
	for i, w := range words {
		if !isFunction[strings.ToLower(w)] && !slices.ContainsFunc(content, func(j int) bool { return words[j] == w }) {
			content = append(content, i)
		}
	}
	r.Shuffle(len(content), func(i, j int) { content[i], content[j] = content[j], content[i] })
	picked := content[:min(len(content), 6+r.IntN(5))]
	slices.Sort(picked)
	q := []string{starts[r.IntN(len(starts))]}
	for _, i := range picked {
		if i > 0 && isFunction[words[i-1]] && r.IntN(2) == 0 {
			q = append(q, words[i-1])
		}
		q = append(q, words[i])
	}
	return strings.Join(q, " ") + "?"
}
