package desk

import (
	"maps"
	"slices"

	"github.com/winnow-search/winnow/open"
)

// Policies are the names that a request may choose from: the server's own first,
// those that need no model, and those of the configuration.
func (d *Desk) Policies() []string {
	names := []string{d.name}
	for _, name := range append(open.Policies(), slices.Sorted(maps.Keys(d.options.Config.Policies))...) {
		switch name {
		case open.PolicyChat, open.PolicyHarmony, open.PolicyAnthropic: // which model, is not for a request to say
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
