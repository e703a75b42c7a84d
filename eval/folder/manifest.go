package folder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
)

// Format is that of the run folders that are written.
const Format = 1

// Manifest says what a run is, so that it can be understood, continued and made
// again.
type Manifest struct {
	Format int       `json:"format"`
	ID     string    `json:"id"`
	Begun  time.Time `json:"begun"`
	// Finished is nil while questions are open.
	Finished *time.Time `json:"finished"`
	// Limit is the number of questions asked; 0 means all.
	Limit int   `json:"limit"`
	Setup Setup `json:"setup"`
	// Files are what was read, by path.
	Files []File `json:"files"`
	// Documents and Chunks are those of the corpus, IndexSeconds what it took to
	// bring it up to date before the first question.
	Documents    int     `json:"documents"`
	Chunks       int     `json:"chunks"`
	IndexSeconds float64 `json:"index_seconds"`
	// Deviations say how the run differs from the preset it was made after.
	Deviations []string `json:"deviations"`
	// Problems are the questions that were not asked.
	Problems []eval.Problem `json:"problems"`
	Warnings []string       `json:"warnings"`
	// Config is the effective configuration, without keys.
	Config any `json:"config"`
}

// File is an input with its checksum.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Setup is what two parts of one run must have in common.
type Setup struct {
	Winnow  string `json:"winnow"` // version and revision
	Dataset string `json:"dataset"`
	// Questions and Corpus are checksums.
	Questions string `json:"questions"`
	Corpus    string `json:"corpus"`
	Policy    string `json:"policy"`
	Kind      string `json:"kind"`
	Model     string `json:"model"`
	Profile   string `json:"profile"`
	// Prompt is the checksum of one that replaces the profile's.
	Prompt string `json:"prompt"`
	Budget int    `json:"budget"`
	// Settings are the policy's own, by key: its address, its temperature.
	Settings  map[string]any `json:"settings"`
	Embedder  string         `json:"embedder"`
	Rerank    string         `json:"rerank"`
	Rollouts  int            `json:"rollouts"`
	MaxTurns  int            `json:"max_turns"`
	Seed      uint64         `json:"seed"`
	Ablations eval.Ablations `json:"ablations"`
	Preset    string         `json:"preset"`
	Scope     winnow.Scope   `json:"scope"`
}

// Name is what people call the run: the policy, with its model where the policy
// has no name of its own, and what it is without.
func (s *Setup) Name() string {
	name := s.Policy
	if s.Model != "" && s.Policy == s.Kind {
		name += " " + s.Model
	}
	if s.Rollouts > 1 {
		name += fmt.Sprintf(" ×%d", s.Rollouts)
	}
	if len(s.Ablations) > 0 {
		name += " " + s.Ablations.String()
	}
	return name
}

// differences names the fields in which two setups differ.
func (s *Setup) differences(o *Setup) (names []string) {
	fields := func(s *Setup) map[string]json.RawMessage {
		data, err := json.Marshal(s)
		if err != nil {
			panic(err) // plain data
		}
		var out map[string]json.RawMessage
		if err := json.Unmarshal(data, &out); err != nil {
			panic(err)
		}
		return out
	}
	a, b := fields(s), fields(o)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !bytes.Equal(a[name], b[name]) {
			names = append(names, strings.ReplaceAll(name, "_", " "))
		}
	}
	return names
}
