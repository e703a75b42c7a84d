package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/embed/minilm"
)

// Examine finds out whether what lies under the home folder can be used, and
// whether the configuration makes sense. It changes nothing.
func (h Home) Examine(ctx context.Context, c *Config) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		ok := yield(h.examineFolder()) && yield(examineFiles(c)) && yield(h.examineCollections())
		for _, name := range slices.Sorted(maps.Keys(c.Policies)) {
			ok = ok && yield(c.examinePolicy(name))
		}
		if ok {
			yield(h.examineEmbedder(ctx, c))
		}
	}
}

func (h Home) examineFolder() Finding {
	info, err := os.Stat(h.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return well("home", "%s, which is made on first use", h.dir)
	case err != nil:
		return ill("home", err)
	case !info.IsDir():
		return ill("home", &winnow.Error{Message: h.dir + " is no folder", Hint: "set WINNOW_HOME to another place"})
	case unix.Access(h.dir, unix.R_OK|unix.W_OK|unix.X_OK) != nil:
		return ill("home", &winnow.Error{Message: h.dir + " can't be written to", Hint: "give yourself the right to, or set WINNOW_HOME to another place"})
	}
	return well("home", "%s", h.dir)
}

func examineFiles(c *Config) Finding {
	if len(c.Files) == 0 {
		return well("configuration", "there is no winnow.yaml, and none is needed")
	}
	return well("configuration", "%s", strings.Join(c.Files, ", "))
}

func (h Home) examineCollections() Finding {
	all, err := h.Collections()
	if err != nil {
		return ill("collections", err)
	}
	documents, chunks := 0, 0
	for _, c := range all {
		info, err := c.Info()
		if err = errors.Join(c.Err, err); err != nil {
			return ill("collections", &winnow.Error{Message: c.Name + " can't be opened", Hint: "winnow ls --check says more; winnow index --rebuild makes it anew", Err: err})
		}
		documents += info.Documents
		chunks += info.Chunks
	}
	return well("collections", "%d, with %d documents in %d chunks", len(all), documents, chunks)
}

// examinePolicy sees whether a policy of the configuration can be made. Its
// server is not asked: that is what examining the policy itself is for.
func (c *Config) examinePolicy(name string) Finding {
	s, err := c.Searcher(PolicySettings{Policy: name})
	if err != nil {
		return ill("policy "+name, err)
	}
	says := s.Kind
	if s.Asks() {
		says += " with " + s.Model
	}
	return well("policy "+name, "%s; winnow doctor --policy %s asks it", says, name)
}

// examineEmbedder embeds a sentence with the model that the configuration names.
func (h Home) examineEmbedder(ctx context.Context, c *Config) Finding {
	m, err := h.Models(c)
	if err != nil {
		return ill("embedder", err)
	}
	e := m.best
	if e == nil {
		e = m.fast
	}
	if e == nil {
		return well("embedder", "off: searches go by words and links")
	}
	start := time.Now()
	if _, err := e.Embed(ctx, []string{"A sentence, to see whether it has a meaning."}); err != nil {
		return ill("embedder", err)
	}
	says := fmt.Sprintf("%s, a sentence in %s", e.Name(), time.Since(start).Round(time.Millisecond))
	if local, ok := e.(*minilm.Model); ok {
		says += fmt.Sprintf(", %s kernels on %d CPUs", local.Kernel(), runtime.GOMAXPROCS(0))
	}
	return well("embedder", "%s", says)
}
