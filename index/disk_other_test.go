//go:build !linux

package index_test

import "errors"

func fillDisk(string) error { return errors.New("only Linux mounts a disk for a test") }
