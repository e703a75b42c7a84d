package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"
)

func TestWatchFollowsTheFolderUntilItIsInterrupted(t *testing.T) {
	stage(t)
	write(t, "notes/a.md", "# Apples\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, out := io.Pipe()
	code := make(chan int)
	go func() { code <- Run(ctx, []string{"index", "--watch", "--json", "notes"}, nil, out, io.Discard) }()
	lines := json.NewDecoder(bufio.NewReader(stdout))
	next := func() (u indexed) {
		if err := lines.Decode(&u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	if u := next(); u.Documents != 1 || u.Put != 1 {
		t.Errorf("at first: %+v", u)
	}
	write(t, "notes/b.md", "# Bananas\n")
	if u := next(); u.Documents != 2 || u.Put != 1 {
		t.Errorf("after a new file: %+v", u)
	}
	if out := must(t, "grep", "--in", "notes", "Bananas"); out != "notes/b.md:1:# Bananas\n" {
		t.Errorf("meanwhile another command sees %q", out)
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("it ends with exit code %d", c)
	}
}
