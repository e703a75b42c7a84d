package winnow

// Ranking is what a run is for: documents, best first. The selected ones come
// first and are the answer; behind them stand others that were shown.
type Ranking []Ranked

// Ranked is a document's place in a ranking.
type Ranked struct {
	Rank       int    `json:"rank"` // from 1
	Selected   bool   `json:"selected"`
	Document   string `json:"document"`
	Collection string `json:"collection,omitempty"`
	Title      string `json:"title,omitempty"`
	Path       string `json:"path,omitempty"`
	// Chunks are ids of chunks of the document that were shown: those that the
	// policy named, else all.
	Chunks        []string `json:"chunks"`
	Justification string   `json:"justification,omitempty"`
}

// Selected are the documents that are the answer.
func (r Ranking) Selected() Ranking {
	for i := range r {
		if !r[i].Selected {
			return r[:i]
		}
	}
	return r
}
