package ingest

import (
	"cmp"
	"slices"
)

// Note says something about a file: why it was left out, what went wrong.
type Note struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func compareNotes(a, b Note) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason))
}

// Report is what is known of the files of a collection.
type Report struct {
	Files     int   `json:"files"` // that documents came from
	Documents int   `json:"documents"`
	Chunks    int   `json:"chunks"`
	Bytes     int64 `json:"bytes"` // of text
	// Skipped files were left out on purpose, Failed ones could not be read.
	// Folders end with a slash.
	Skipped  []Note `json:"skipped"`
	Failed   []Note `json:"failed"`
	Warnings []Note `json:"warnings"`
}

// Report sums up the table.
func (t *Table) Report() Report {
	r := Report{
		Skipped: append([]Note{}, t.skipped...), Failed: append([]Note{}, t.failed...), Warnings: []Note{},
	}
	for i := range t.entries {
		e := &t.entries[i]
		if len(e.documents) > 0 {
			r.Files++
		}
		r.Documents += len(e.documents)
		r.Chunks += e.chunks
		r.Bytes += e.bytes
		if e.skip != "" {
			r.Skipped = append(r.Skipped, Note{e.path, e.skip})
		}
		if e.failure != "" {
			r.Failed = append(r.Failed, Note{e.path, e.failure})
		}
		for _, w := range e.warnings {
			r.Warnings = append(r.Warnings, Note{e.path, w})
		}
	}
	slices.SortFunc(r.Skipped, compareNotes)
	slices.SortFunc(r.Failed, compareNotes)
	return r
}
