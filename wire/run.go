package wire

import (
	"time"

	"github.com/winnow-search/winnow"
)

// Recorded is a recorded run in a list.
type Recorded struct {
	Run         string    `json:"run"`
	Began       time.Time `json:"began"`
	State       RunState  `json:"state"`
	Question    string    `json:"question"`
	Policy      string    `json:"policy"`
	Model       string    `json:"model"`
	Collections []string  `json:"collections"`
	// What follows is known of a run that has ended.
	Ended      winnow.Ended `json:"ended"`
	Selected   int          `json:"selected"`
	Turns      int          `json:"turns"`
	Confidence *float64     `json:"confidence"`
}

// RunState says whether a run goes on.
type RunState string

const (
	RunLive  RunState = "live"    // it is being written, by any process
	RunEnded RunState = "ended"   // its last event is its end
	RunCut   RunState = "cut_off" // whoever wrote it is gone
)

// Runs is a page of the list, newest first.
type Runs struct {
	Runs []Recorded `json:"runs"`
	// Next is the id to continue before; "" at the end of the list.
	Next string `json:"next"`
}

// Record is a recorded run, whole.
type Record struct {
	Recorded
	// Ask is the answer, null while there is none.
	Ask    *Ask           `json:"ask"`
	Events []winnow.Event `json:"events"`
}
