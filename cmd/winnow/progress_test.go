package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressWithoutATerminalIsALineNowAndThen(t *testing.T) {
	for after, want := range map[time.Duration][]string{
		4 * time.Second: {""},
		6 * time.Second: {"Indexing: 10 of 100, 45.0 s left"},
		26 * time.Second: {"Indexing: 10 of 100, 45.0 s left", "Indexing: 10 of 100, 2 min 15 s left",
			"Indexing: 10 of 100, 3 min 45 s left"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			p := (&cli{stderr: &log}).startProgress("Indexing")
			p.set(10, 100)
			time.Sleep(after)
			p.stop()
			if got := strings.Split(strings.TrimSpace(log.String()), "\n"); !slices.Equal(got, want) {
				t.Errorf("work of %v prints %q, want %q", after, got, want)
			}
		})
	}
}

func TestProgressOnATerminalIsABarThatGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		p := (&cli{stderr: &screen, errTerminal: terminal{columns: 80}}).startProgress("Indexing")
		p.set(50, 100)
		time.Sleep(time.Second)
		p.stop()
		if out := screen.String(); !strings.Contains(out, strings.Repeat("━", barWidth)) || !strings.HasSuffix(out, "\r\x1b[K") || strings.Contains(out, "\n") {
			t.Errorf("a second draws %q", out)
		}
	})
}

func TestQuietProgressIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := (&cli{stderr: &log, quiet: true}).startProgress("Indexing")
		time.Sleep(time.Minute)
		p.stop()
		if log.Len() > 0 {
			t.Errorf("it prints %q", log.String())
		}
	})
}

func TestWhatIsLeftOfAStepIsReckonedFromItsOwnBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := (&cli{stderr: &log}).startProgress("Training")
		p.set(100, 100)
		time.Sleep(4 * time.Second)
		p.restart()
		p.set(10, 100)
		time.Sleep(2 * time.Second)
		p.stop()
		if got, want := strings.TrimSpace(log.String()), "Training: 10 of 100, 9.0 s left"; got != want {
			t.Errorf("a second step prints %q, want %q", got, want)
		}
	})
}
