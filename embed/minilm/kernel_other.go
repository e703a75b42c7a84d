//go:build !amd64 && !arm64

package minilm

func kernels() []*kernel { return []*kernel{portable()} }
