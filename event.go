package winnow

// Event is something that happened in a run. The events in order are the
// trajectory, and every view follows from them. There is no time in them: the
// same corpus and the same policy outputs make the same bytes.
type Event struct {
	Kind EventKind `json:"event"`
	// Rollout counts from 1 where several runs share a stream; 0 is the stream
	// itself.
	Rollout int `json:"rollout,omitempty"`
	// Turn counts from 1; 0 is before the first.
	Turn        int          `json:"turn,omitempty"`
	Start       *Start       `json:"start,omitempty"`
	Action      *Action      `json:"action,omitempty"`
	Prune       *Prune       `json:"prune,omitempty"`
	Restore     *Restore     `json:"restore,omitempty"`
	Elide       *Elide       `json:"elide,omitempty"`
	Observation *Observation `json:"observation,omitempty"`
	End         *End         `json:"end,omitempty"`
	// View is the size in tokens of the view that an action answers.
	View int `json:"view,omitempty"`
}

// EventKind names what happened; the field of that name says the rest.
type EventKind string

const (
	EventStart       EventKind = "start"
	EventAction      EventKind = "action"
	EventPrune       EventKind = "prune"
	EventRestore     EventKind = "restore"
	EventElide       EventKind = "elide"
	EventObservation EventKind = "observation"
	EventEnd         EventKind = "end" // the last, exactly once
)

// Start holds what a run begins with: with the events behind it, enough to build
// every view.
type Start struct {
	// Version is that of the trajectory's form.
	Version  int    `json:"version"`
	Question string `json:"question"`
	Profile  string `json:"profile"`
	Prompt   string `json:"prompt"`
	Date     string `json:"date,omitempty"`
	Tools    []Tool `json:"tools"`
	Budget   Budget `json:"budget"`
	MaxTurns int    `json:"max_turns"`
	// Scope binds every call of the run.
	Scope       Scope    `json:"scope,omitzero"`
	Policy      string   `json:"policy"`
	Model       string   `json:"model,omitempty"`
	Collections []string `json:"collections,omitempty"`
	Seed        uint64   `json:"seed,omitempty"`
	// Used is the size of the first view, as its usage line says.
	Used int `json:"used"`
}

// Name is how a run speaks of a document or a chunk: by its id, or where it
// searches several collections by its qualified one, because ids are unique only
// within a collection.
func (s *Start) Name(collection, id string) string {
	if len(s.Collections) > 1 {
		return QualifiedID(collection, id)
	}
	return id
}

// Prune takes chunks out of the next view.
type Prune struct {
	// Chunks are named as [Start.Name] names them.
	Chunks []string `json:"chunks"`
	// Freed is how many tokens came free.
	Freed int `json:"freed"`
	// Invalidated is how many tokens of the prompt stand behind the first place
	// that changed: what a provider's cache can't be used for.
	Invalidated int `json:"invalidated"`
}

// Restore says that the observation behind it shows chunks again that had been
// pruned.
type Restore struct {
	// Chunks are named as those of a Prune.
	Chunks []string `json:"chunks"`
}

// Elide takes the reasoning of a turn out of the view.
type Elide struct {
	Of int `json:"of"`
	// Freed is how many tokens came free.
	Freed int `json:"freed"`
}

// End is how a run ended, and with what.
type End struct {
	Ended   Ended   `json:"ended"`
	Ranking Ranking `json:"ranking"`
	// Forced says that the harness made the ranking, not the policy.
	Forced     bool     `json:"forced,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	// Unknown are ids of the answer that were never shown.
	Unknown  []string `json:"unknown,omitempty"`
	Warnings []string `json:"warnings"`
	// Failure is why the policy could not go on, where it failed.
	Failure *Error `json:"failure,omitempty"`
	Turns   int    `json:"turns"`
	Calls   int    `json:"calls"`
	Pruned  int    `json:"pruned"`
	// PeakView is the size of the largest view, in tokens.
	PeakView int   `json:"peak_view"`
	Usage    Usage `json:"usage,omitzero"`
}

// Ended says why a run ended.
type Ended string

const (
	Concluded    Ended = "concluded"
	Forced       Ended = "forced" // the view was full, or the policy failed
	AtTurnLimit  Ended = "turn_limit"
	AtDeadline   Ended = "deadline"
	WasCancelled Ended = "cancelled"
)
