package boost_test

import (
	"context"
	"fmt"

	"github.com/winnow-search/winnow/rerank/boost"
)

// Questions teach that a passage should be linked, and then match well.
func Example() {
	features := []string{"match", "linked"}
	var questions []boost.Group
	for i := range 40 {
		off := float32(i) / 200
		questions = append(questions, boost.Group{
			ID:       fmt.Sprint("question ", i),
			Rows:     [][]float32{{0.7 + off, 0}, {0.6 - off, 1}, {0.2 + off, 1}, {0.1, 0}},
			Relevant: []bool{false, true, false, false},
		})
	}
	model, err := boost.Train(context.Background(), features, questions, boost.Params{Trees: 20})
	if err != nil {
		panic(err)
	}
	file := model.Encode()

	model, err = boost.Decode(file, features)
	if err != nil {
		panic(err)
	}
	scores := model.Scores([][]float32{{0.8, 0}, {0.3, 1}, {0.5, 1}})
	fmt.Println("linked and matching wins:", scores[2] > scores[0] && scores[2] > scores[1])

	_, err = boost.Decode(file, []string{"linked", "match"})
	fmt.Println(err)
	// Output:
	// linked and matching wins: true
	// the ranking model was trained on other features: feature 1 is "match" in the model and "linked" here
}
