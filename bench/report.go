package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// report prints tables for people as they are done, and at the end the figures,
// one name=value per line.
type report struct {
	w       io.Writer
	figures []string
}

func newReport(w io.Writer) *report {
	fmt.Fprintf(w, "%s, %d cores, %s %s/%s\n", cpu(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return &report{w: w}
}

// table prints rows, whose cells are separated by tabs, under a title.
func (r *report) table(title string, rows ...string) {
	fmt.Fprintf(r.w, "\n%s\n", title)
	t := tabwriter.NewWriter(r.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(t, "  %s\t\n", row)
	}
	t.Flush()
}

// figure notes a value for the end.
func (r *report) figure(name string, value float64) {
	r.figures = append(r.figures, fmt.Sprintf("%s=%.3g", name, value))
}

func (r *report) finish(took time.Duration) {
	fmt.Fprintf(r.w, "\ntook %s\n\n%s\n", took.Round(time.Second), strings.Join(r.figures, "\n"))
}

// cpu is the processor's name where the system tells it.
func cpu() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// progress tells on the terminal what is going on.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "· "+format+"\n", args...)
}
