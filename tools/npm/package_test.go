package npm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
)

func TestUnpackChecksThePackageWhole(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "package/a.txt", Mode: 0o644, Size: 5}); err != nil {
		t.Fatal(err)
	}
	w.Write([]byte("hello"))
	w.Close()
	z.Close()
	path := filepath.Join(t.TempDir(), "a.tgz")
	if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(packed.Bytes())
	integrity := "sha512-" + base64.StdEncoding.EncodeToString(sum[:])

	files, err := Unpack(path, integrity)
	if err != nil || string(files["package/a.txt"]) != "hello" {
		t.Errorf("files %v, error %v", files, err)
	}
	sum[0] ^= 1
	if files, err := Unpack(path, "sha512-"+base64.StdEncoding.EncodeToString(sum[:])); err == nil {
		t.Errorf("another package was taken: %v", files)
	}
}
