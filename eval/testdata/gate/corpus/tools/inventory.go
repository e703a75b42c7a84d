package inventory

import "quillfeather/tools/labels"

// Box is an archive box with its shelf mark. Shelf marks begin with the letter of
// the room: P for the packing room, V for the vault.
type Box struct {
	Mark  string
	Title string
}

// Relabel prints the spine label of a box again.
func Relabel(b Box) error { return labels.Print(b.Title, 0) }
