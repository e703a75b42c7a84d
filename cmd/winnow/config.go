package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
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
winnow.yaml, and that before the user's. Keys and headers are not printed.`,
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

// settingText is a value on one line; what is not set is a dash.
func settingText(v any) string {
	var parts []string
	switch v := v.(type) {
	case nil:
		return "–"
	case []any:
		for _, one := range v {
			parts = append(parts, settingText(one))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, key+": "+settingText(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}
