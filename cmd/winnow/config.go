package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/open"
)

type configAnswer struct {
	Home     string         `json:"home"`
	Files    []string       `json:"files"`
	Settings []open.Setting `json:"settings"`
}

func (c *cli) configCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print the effective settings and where each comes from",
		Long: `Config prints the settings that hold in the current folder, each with its
origin: a flag goes before an environment variable, that before the project's
winnow.yaml, and that before the user's.`,
		Args: arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			p, err := c.here(nil)
			if err != nil {
				return err
			}
			if c.json {
				return c.print(configAnswer{p.home.Dir(), append([]string{}, p.config.Files...), p.config.Effective})
			}
			rows := [][]string{{"home", p.home.Dir(), "default"}}
			if os.Getenv("WINNOW_HOME") != "" {
				rows[0][2] = "WINNOW_HOME"
			}
			for _, s := range p.config.Effective {
				rows = append(rows, []string{s.Key, settingText(s.Value), s.Origin})
			}
			fmt.Fprint(c.stdout, table(rows, "lll"))
			return nil
		},
	}
}

func settingText(v any) string {
	switch v := v.(type) {
	case []string:
		if len(v) == 0 {
			return "–"
		}
		return strings.Join(v, ", ")
	}
	return fmt.Sprint(v)
}
