package folder

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
)

// Run is a run as it was kept.
type Run struct {
	Dir      string
	Manifest Manifest
	Tasks    []eval.Task
	// Results are in the order of the tasks, as far as they are finished.
	Results []eval.Result

	place map[string]int
}

// Read reads a run, finished or not.
func Read(dir string) (*Run, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	d, err := eval.Load(filepath.Join(dir, questionsFile))
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, Manifest: *m, Tasks: d.Tasks, place: map[string]int{}}
	for i := range r.Tasks {
		r.place[r.Tasks[i].ID] = i
	}
	f, err := os.Open(filepath.Join(dir, resultsFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	results, _, err := readResults(f)
	if err != nil {
		return nil, err
	}
	for _, q := range results {
		if i, ok := r.place[q.ID]; ok { // one of a larger limit is of another run
			r.Tasks[i].Case = q.Case
			r.Results = append(r.Results, q)
		}
	}
	slices.SortStableFunc(r.Results, func(a, b eval.Result) int { return r.place[a.ID] - r.place[b.ID] })
	if len(r.Results) == 0 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "no question of the run in " + dir + " is finished", Hint: "winnow eval --resume"}
	}
	return r, nil
}

// Task is the one of an id, or nil.
func (r *Run) Task(id string) *eval.Task {
	if i, ok := r.place[id]; ok {
		return &r.Tasks[i]
	}
	return nil
}

// Trajectory reads that of a question; nil where the policy had none.
func (r *Run) Trajectory(id string) (*winnow.Trajectory, error) {
	f, err := os.Open(trajectoryPath(r.Dir, r.place[id]+1))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return winnow.ReadTrajectory(f)
}

// Unfinished is the number of questions without a result.
func (r *Run) Unfinished() int { return len(r.Tasks) - len(r.Results) }

// readResults reads lines as far as they are whole; what stands behind the last
// is what a killed process left.
func readResults(in io.Reader) (results []eval.Result, whole int64, err error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return results, whole, nil
		}
		if err != nil {
			return results, whole, err
		}
		var r eval.Result
		if err := json.Unmarshal(line, &r); err != nil || r.ID == "" {
			return results, whole, &winnow.Error{Code: winnow.Corrupt, Message: fmt.Sprintf("line %d of %s is no result", n, resultsFile), Hint: "take the line out, and its question is asked again"}
		}
		whole += int64(len(line))
		results = append(results, r)
	}
}

func readManifest(dir string) (*Manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: "there is no run in " + dir, Hint: "a folder that winnow eval has written"}
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil || m.Format == 0 {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: "the manifest of the run in " + dir + " can't be read", Hint: "a folder that winnow eval has written"}
	}
	if m.Format > Format {
		return nil, &winnow.Error{Code: winnow.TooNew, Message: fmt.Sprintf("the run in %s was written by another version of winnow (%s): its format is %d, and this one reads up to %d", dir, m.Setup.Winnow, m.Format, Format),
			Hint: "a newer winnow"}
	}
	return m, nil
}

// LabelsPath is the file of what was said of the run's documents.
func (r *Run) LabelsPath() string { return filepath.Join(r.Dir, labelsFile) }
