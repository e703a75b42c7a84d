package eval

import (
	"crypto/sha256"
	"encoding/hex"
)

// contentID makes an id that stays the same wherever and in whatever order a
// text is met. 64 bits make a clash among ten million texts a matter of one in
// several hundred thousand.
func contentID(prefix string, parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return prefix + hex.EncodeToString(h.Sum(nil)[:8])
}
