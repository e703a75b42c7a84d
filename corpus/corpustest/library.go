package corpustest

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// The library is small enough to be embedded in tests and has one of each
// thing that a corpus must cope with: documents of several chunks, ids that look
// like chunk ids, ids in other scripts, metadata of every kind, names that link.

// berries is how many documents of the library hold the word "berry".
const berries = 24

// Library is what the suite fills a corpus with.
func Library() []*winnow.Document {
	docs := []*winnow.Document{
		doc("apples.md", "Golden Delicious", "fruit/apples.md", winnow.Metadata{"kind": "tree", "year": int64(1914), "weight": 0.25, "fresh": true},
			"Golden Delicious is a sweet apple.\nIt keeps well in a cool cellar.\n", "The tree was found in West Virginia.\n", "Growers like its even colour.\n"),
		doc("orchard.md", "The old orchard", "fruit/orchard.md", winnow.Metadata{"kind": "place", "year": int64(1970), "fresh": false},
			"We grow Golden Delicious here, and some pears.\n", "The gate is closed in winter.\nAsk for the key.\n"),
		doc("pears_1", "Pears", "", winnow.Metadata{"kind": "tree", "year": int64(1820)}, "A pear ripens off the tree.\n"),
		doc("pears", "Perry", "", winnow.Metadata{"kind": "drink", "year": int64(1700)}, "Perry is made of pears.\n", "It is older than cider in some valleys.\n"),
		doc("ünï/文書 № 7_0.md", "Straße nach Żółw", "ünï/文書 № 7_0.md", winnow.Metadata{"kind": "reise", "schlüssel": "wert ✓"},
			"Ein Weg führt zur Mühle. 文書を読む。\n", "Zweiter Teil: naïve Ωμέγα.\n"),
	}
	for i := range berries {
		docs = append(docs, doc(fmt.Sprintf("berry%02d", i), fmt.Sprintf("Basket %02d", i), fmt.Sprintf("baskets/%d/%02d.txt", i%3, i),
			winnow.Metadata{"kind": "basket", "number": int64(i), "even": i%2 == 0},
			fmt.Sprintf("Basket number %02d holds a berry of sort %s, picked on day %d.\n", i, strings.Repeat("x", i%5+1), i*i)))
	}
	return docs
}

// doc makes a document of chunks that tile its text.
func doc(id, title, path string, m winnow.Metadata, texts ...string) *winnow.Document {
	d := &winnow.Document{ID: id, Title: title, Path: path, Metadata: m}
	line, start := 1, 0
	for _, t := range texts {
		lines := strings.Count(t, "\n")
		d.Chunks = append(d.Chunks, winnow.Chunk{Text: t, Lines: [2]int{line, line + lines - 1}, Start: start, Tokens: token.Count(t)})
		line, start = line+lines, start+len(t)
	}
	return d
}
