package open

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/ingest"
)

// versions are those of everything that shapes an index. An index made by older
// ones is searched as it is.
type versions struct {
	Format   int `json:"format"`
	Analyzer int `json:"analyzer"`
	Chunker  int `json:"chunker"`
}

func currentVersions() versions {
	return versions{Format: index.Format, Analyzer: bm25.AnalyzerVersion, Chunker: ingest.ChunkerVersion}
}

// gains says what a rebuild would bring, nothing if nothing.
func (v versions) gains() (gains []string) {
	now := currentVersions()
	if v.Analyzer < now.Analyzer {
		gains = append(gains, "better words to search by")
	}
	if v.Format < now.Format {
		gains = append(gains, "a smaller and faster index")
	}
	if v.Chunker < now.Chunker {
		gains = append(gains, "passages that are cut better")
	}
	return gains
}

// Outdated reports whether the collection was made by an older version. It is
// searched as it is, and not written to: an index is of one version.
func (c *Collection) Outdated() bool { return c.Exists() && len(c.record.Made.gains()) > 0 }

// outdated is the warning about it.
func (c *Collection) outdated() []string {
	if !c.Outdated() {
		return nil
	}
	return []string{fmt.Sprintf("%s was indexed by an older winnow and is searched as it is; indexing it with --rebuild gains %s",
		c.Name, strings.Join(c.record.Made.gains(), " and "))}
}
