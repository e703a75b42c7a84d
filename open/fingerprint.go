package open

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Fingerprint tells one content of the collections from another. It stays the
// same while vectors fill in, and changes with what is added, changed or removed:
// the text of what was replaced counts on until it is merged away.
func (o *Opened) Fingerprint(ctx context.Context) (string, error) {
	about, err := o.Describe(ctx)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %d %d\n", o.Collections, about.Documents, about.Chunks)
	for _, e := range o.engines {
		fmt.Fprintln(sum, e.Info().TextBytes)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
