package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// result is one document's score in any of the shapes.
type result struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// readScores reads a reply, which is a list of results or an object that holds
// one, into scores by index. Every document must have exactly one score. That
// it is finite needs no check: JSON has no other numbers.
func readScores(reply []byte, scores []float64) error {
	results, err := readResults(reply)
	if err != nil {
		return err
	}
	if len(results) != len(scores) {
		return fmt.Errorf("it scored %d documents of %d", len(results), len(scores))
	}
	seen := make([]bool, len(scores))
	for _, r := range results {
		score := r.Relevance
		if score == nil {
			score = r.Score
		}
		switch {
		case r.Index == nil:
			return fmt.Errorf("it does not say which document a score belongs to")
		case *r.Index < 0 || *r.Index >= len(scores):
			return fmt.Errorf("it scored document %d of %d", *r.Index, len(scores))
		case seen[*r.Index]:
			return fmt.Errorf("it scored document %d twice", *r.Index)
		case score == nil:
			return fmt.Errorf("the score of document %d is not a number", *r.Index)
		}
		seen[*r.Index] = true
		scores[*r.Index] = *score
	}
	return nil
}

func readResults(reply []byte) ([]result, error) {
	reply = bytes.TrimSpace(reply)
	var results []result
	if bytes.HasPrefix(reply, []byte("[")) {
		err := json.Unmarshal(reply, &results)
		return results, notJSON(reply, err)
	}
	var object struct {
		Results *[]result `json:"results"`
		Data    *[]result `json:"data"`
	}
	if err := json.Unmarshal(reply, &object); err != nil {
		return nil, notJSON(reply, err)
	}
	switch {
	case object.Results != nil:
		return *object.Results, nil
	case object.Data != nil:
		return *object.Data, nil
	}
	return nil, fmt.Errorf("it holds no results: %s", message(reply))
}

// notJSON says what came instead of the JSON that was expected.
func notJSON(reply []byte, err error) error {
	switch {
	case err == nil:
		return nil
	case len(reply) == 0:
		return fmt.Errorf("it is empty")
	case reply[0] == '<':
		return fmt.Errorf("it is an HTML page")
	}
	return fmt.Errorf("it can't be read: %w", err)
}

// message is what a server says about a failure, out of one of the forms that
// servers wrap it in, else the text as it is.
func message(body []byte) string {
	text := strings.TrimSpace(string(body))
	var object struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &object) == nil {
		for _, inner := range []json.RawMessage{object.Error, object.Detail} {
			var words string
			var nested struct {
				Message string `json:"message"`
			}
			if json.Unmarshal(inner, &words) == nil && words != "" {
				text = words
			} else if json.Unmarshal(inner, &nested) == nil && nested.Message != "" {
				text = nested.Message
			}
		}
		if object.Message != "" {
			text = object.Message
		}
	}
	if strings.HasPrefix(text, "<") {
		return "an HTML page"
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
}
