package eval

import "iter"

// The original multi-hop files carry a few paragraphs with each question. Their
// corpus is the union of all of them, as the literature builds it: a paragraph
// is known by its title and text, and its id follows from these, so that it is
// the same in every file and every subset.

func passage(title, text string) Document {
	return Document{ID: contentID("p", title, text), Title: title, Text: text}
}

// union yields the passages of all records of a file, each once.
func union(records iter.Seq2[record, error], passages func(record) ([]Document, error)) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		seen := map[string]bool{}
		for r, err := range records {
			var docs []Document
			if err == nil {
				docs, err = passages(r)
			}
			if err != nil {
				yield(Document{}, err)
				return
			}
			for _, d := range docs {
				if seen[d.ID] {
					continue
				}
				seen[d.ID] = true
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}
