// Package folder keeps evaluation runs on disk, a folder for each.
//
// A run may take days and cost money, so it is written as it happens: a result
// is a line that is appended when its question ends, and a run that was killed
// goes on behind the last whole line. The folder holds the questions, the
// rankings with the text that was found, and every trajectory, so that a run can
// be compared and judged without its corpus; what was traded away is disk, some
// kilobytes a question.
//
//	manifest.json      what the run is: version, setup, checksums
//	questions.jsonl    the questions asked, with what is known of their gold
//	results.jsonl      a line for each question that ended, as it ended
//	trajectories/N.jsonl  the trajectory of question N, where a policy had one
//	labels.jsonl       what people and models said of its documents
//	report.json        when it is finished: the metrics
//	run.trec           … and the rankings as a TREC run file
package folder

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
)

const (
	manifestFile     = "manifest.json"
	questionsFile    = "questions.jsonl"
	resultsFile      = "results.jsonl"
	labelsFile       = "labels.jsonl"
	reportFile       = "report.json"
	trecFile         = "run.trec"
	trajectoryFolder = "trajectories"
)

// Writer is a run that is being made.
type Writer struct {
	Dir string
	// Manifest is written when the run begins and when it is finished.
	Manifest Manifest
	// Finished are the results that were there when it was opened, by question.
	Finished map[string]eval.Result

	place   map[string]int // of a question, from 1
	results *os.File
	synced  time.Time
}

// Create begins a run in a folder that holds none.
func Create(dir string, m Manifest, tasks []eval.Task) (*Writer, error) {
	if Is(dir) {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "there is a run in " + dir + " already", Hint: "--resume to go on with it, or another --out"}
	}
	if err := os.MkdirAll(filepath.Join(dir, trajectoryFolder), 0o700); err != nil {
		return nil, err
	}
	m.Format, m.Begun, m.ID = Format, time.Now().UTC().Truncate(time.Second), filepath.Base(dir)
	return open(dir, m, tasks)
}

// Resume goes on with the run in a folder. It must have been made with the same
// setup: half a run with one and half with another is no measurement.
func Resume(dir string, m Manifest, tasks []eval.Task) (*Writer, error) {
	old, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if d := old.Setup.differences(&m.Setup); len(d) > 0 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the run in %s can't be resumed: it was made with another %s", dir, strings.Join(d, ", ")),
			Hint: "the same command as before, or another --out"}
	}
	m.Format, m.Begun, m.ID = old.Format, old.Begun, old.ID
	return open(dir, m, tasks)
}

func open(dir string, m Manifest, tasks []eval.Task) (_ *Writer, err error) {
	w := &Writer{Dir: dir, Manifest: m, Finished: map[string]eval.Result{}, place: map[string]int{}}
	for i := range tasks {
		w.place[tasks[i].ID] = i + 1
	}
	if w.results, err = os.OpenFile(filepath.Join(dir, resultsFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.results.Close()
		}
	}()
	if err := unix.Flock(int(w.results.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, &winnow.Error{Code: winnow.Locked, Message: "another process is at the run in " + dir, Hint: "wait for it"}
	}
	if err := w.load(); err != nil {
		return nil, err
	}
	if err := writeFile(filepath.Join(dir, questionsFile), func(out io.Writer) error {
		for i := range tasks {
			if err := writeLine(out, &tasks[i]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return w, w.writeManifest()
}

// load reads the results that are there and cuts off a line that was not
// finished.
func (w *Writer) load() error {
	results, whole, err := readResults(w.results)
	if err != nil {
		return err
	}
	for _, r := range results {
		w.Finished[r.ID] = r
	}
	if err := w.results.Truncate(whole); err != nil {
		return err
	}
	_, err = w.results.Seek(whole, io.SeekStart)
	return err
}

// syncEvery bounds what a power cut costs. A process that is killed loses
// nothing, as what it has written is the system's.
const syncEvery = time.Second

// Keep appends a result.
func (w *Writer) Keep(r *eval.Result) error {
	var line bytes.Buffer
	if err := writeLine(&line, r); err != nil {
		return err
	}
	if _, err := w.results.Write(line.Bytes()); err != nil {
		return err
	}
	if now := time.Now(); now.Sub(w.synced) > syncEvery {
		w.synced = now
		return w.results.Sync()
	}
	return nil
}

// Record writes the trajectory of a question. It may be called concurrently, for
// different questions.
func (w *Writer) Record(t *eval.Task, trajectory *winnow.Trajectory) error {
	n, ok := w.place[t.ID]
	if !ok {
		return fmt.Errorf("the question %q is not one of the run", t.ID)
	}
	f, err := os.OpenFile(trajectoryPath(w.Dir, n), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	_, err = trajectory.WriteTo(out)
	return errors.Join(err, out.Flush(), f.Close())
}

func trajectoryPath(dir string, n int) string {
	return filepath.Join(dir, trajectoryFolder, fmt.Sprintf("%06d.jsonl", n))
}

// Finish writes what follows from all results together.
func (w *Writer) Finish(r *eval.Report) error {
	if err := w.results.Sync(); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.Dir, trecFile), func(out io.Writer) error {
		return eval.WriteRun(out, w.Manifest.ID, r.Results)
	}); err != nil { // a name that the format can't hold is no reason to lose a run
		w.Manifest.Warnings = append(w.Manifest.Warnings, trecFile+" was not written: "+err.Error())
	}
	if err := writeJSON(filepath.Join(w.Dir, reportFile), r); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	w.Manifest.Finished = &now
	return w.writeManifest()
}

func (w *Writer) writeManifest() error {
	return writeJSON(filepath.Join(w.Dir, manifestFile), &w.Manifest)
}

// Close lets go of the folder.
func (w *Writer) Close() error { return errors.Join(w.results.Sync(), w.results.Close()) }

func writeLine(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func writeJSON(path string, v any) error {
	return writeFile(path, func(out io.Writer) error {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

// writeFile replaces a file at once.
func writeFile(path string, fill func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	out := bufio.NewWriter(f)
	if err := errors.Join(fill(out), out.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
