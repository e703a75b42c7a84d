package index

import (
	"bytes"
	"os"

	"github.com/winnow-search/winnow/index/segment"
)

// A blob is a segment file of one section: mapped, so that a snapshot keeps it
// when a later commit removes the file, and with checksums.
const blobSection = "blob"

func writeBlob(path string, data []byte) error {
	os.Remove(path) // as in link
	w, err := segment.Create(path)
	if err != nil {
		return err
	}
	w.Begin(blobSection)
	w.Write(data)
	return w.Finish()
}

// Blob returns a blob that was committed with the generation, nil if there is
// none of that name.
func (s *Snapshot) Blob(name string) ([]byte, error) {
	f := s.blobs[name]
	if f == nil {
		return nil, nil
	}
	b, err := f.Section(blobSection).All()
	return bytes.Clone(b), err
}
