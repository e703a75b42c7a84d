package ingest

import (
	"path"
	"strings"
)

// rules are the patterns of the ignore files of one folder, after those of the
// folders above. They follow git: the last pattern that matches decides, and a
// file below an ignored folder can't be taken back in.
type rules struct {
	above    *rules
	folder   string // below the root, that the patterns are relative to
	lead     string // or the way from a folder above the root down to it, with a slash
	patterns []pattern
}

// pattern is a line of an ignore file.
type pattern struct {
	// name or ending is set where the pattern is just that, as most are: every
	// file is held against every pattern, so they are told apart beforehand.
	name, ending string
	segments     []string // divided at slashes; "**" stands for any number of folders
	negated      bool
	folders      bool // matches folders only
	own          bool // stands in .winnowignore
}

// parsePatterns reads an ignore file.
func parsePatterns(text string, own bool) []pattern {
	var patterns []pattern
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		p := pattern{own: own}
		line, p.negated = strings.CutPrefix(line, "!")
		line, p.folders = strings.CutSuffix(line, "/")
		if line == "" {
			continue
		}
		anchored := strings.Contains(line, "/")
		p.segments = strings.Split(strings.TrimPrefix(line, "/"), "/")
		for i, s := range p.segments {
			p.segments[i] = strings.ReplaceAll(s, "[!", "[^")
		}
		if !anchored {
			p.simplify(p.segments[0])
			p.segments = []string{"**", p.segments[0]}
		}
		patterns = append(patterns, p)
	}
	return patterns
}

// verdict is what the rules say of a file.
type verdict uint8

const (
	unmatched verdict = iota
	ignored
	ignoredOwn
	included    // taken back in after an earlier pattern
	includedOwn // taken in by .winnowignore, whatever the defaults say
)

// check returns the verdict on a path relative to the root.
func (r *rules) check(name string, isFolder bool) verdict {
	base := path.Base(name)
	for ; r != nil; r = r.above {
		relative := r.lead + name
		if r.folder != "" {
			relative = name[len(r.folder)+1:]
		}
		for i := len(r.patterns) - 1; i >= 0; i-- {
			p := &r.patterns[i]
			if p.folders && !isFolder || !p.matches(relative, base) {
				continue
			}
			switch {
			case p.negated && p.own:
				return includedOwn
			case p.negated:
				return included
			case p.own:
				return ignoredOwn
			}
			return ignored
		}
	}
	return unmatched
}

// simplify notes that a pattern without slashes is a plain name or ending.
func (p *pattern) simplify(s string) {
	const special = `*?[\`
	if !strings.ContainsAny(s, special) {
		p.name = s
	} else if s[0] == '*' && len(s) > 1 && !strings.ContainsAny(s[1:], special) {
		p.ending = s[1:]
	}
}

func (p *pattern) matches(name, base string) bool {
	switch {
	case p.name != "":
		return p.name == base
	case p.ending != "":
		return strings.HasSuffix(base, p.ending)
	}
	return matchSegments(p.segments, name)
}

// matchSegments matches pattern segments against a path. The recursion is as
// deep as the path, and a "**" tries each folder once per "**" before it.
func matchSegments(segments []string, name string) bool {
	for len(segments) > 0 {
		if segments[0] == "**" {
			if len(segments) == 1 {
				return name != "" // "a/**" is everything below a, not a
			}
			for {
				if matchSegments(segments[1:], name) {
					return true
				}
				_, rest, more := strings.Cut(name, "/")
				if !more {
					return false
				}
				name = rest
			}
		}
		first, rest, more := strings.Cut(name, "/")
		if name == "" || !matchSegment(segments[0], first) {
			return false
		}
		segments = segments[1:]
		if !more {
			return len(segments) == 0
		}
		name = rest
	}
	return false
}

func matchSegment(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
