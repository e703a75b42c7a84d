package ingest

import (
	"io/fs"
	"syscall"
)

// changeTime returns when a file's content or attributes last changed, which
// programs can't set, in nanoseconds.
func changeTime(info fs.FileInfo) int64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime().UnixNano()
	}
	return s.Ctim.Nano()
}
