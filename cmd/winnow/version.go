package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/index"
)

type versionAnswer struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Format is that of the index files it writes; it reads all up to it.
	Format int `json:"format"`
}

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			v := version()
			if c.json {
				return c.print(v)
			}
			fmt.Fprintf(c.stdout, "winnow %s (%s, %s, index format %d)\n", v.Version, v.Go, v.Platform, v.Format)
			return nil
		},
	}
}

// version is what the Go toolchain recorded of the build.
func version() versionAnswer {
	v := versionAnswer{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Format: index.Format}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = cmp.Or(info.Main.Version, v.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}
