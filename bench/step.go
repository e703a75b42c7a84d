package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// stepMark behind a benchmark's name says that a step of it follows.
const stepMark = ":"

// step is a part of a benchmark that runs in a fresh process. What it returns
// goes to the parent as JSON.
type step func(ctx context.Context, args []string) (any, error)

func (s step) answer(ctx context.Context, args []string) error {
	if s == nil {
		return fmt.Errorf("no such step")
	}
	v, err := s(ctx, args)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(v)
}

// runStep runs a step of a benchmark in a fresh process.
func runStep(ctx context.Context, benchmark, name string, answer any, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{benchmark + stepMark, name}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("step %s: %w", name, err)
	}
	return json.Unmarshal(out, answer)
}
