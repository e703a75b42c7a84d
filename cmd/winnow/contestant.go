package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/open"
)

// contestant is a policy that is measured.
type contestant struct {
	searcher  *open.Searcher
	plain     bool // it only searches, once
	ablations eval.Ablations
	preset    *eval.Preset
	// ranked is what it answers by question, where it is a file of another
	// system's rankings.
	ranked map[string]eval.Outcome
}

// kindTREC is the kind of a contestant that is a file.
const kindTREC = "trec"

// rankedIn is the contestant of a TREC run file.
func (f *evaluation) rankedIn(path string) (of contestant, err error) {
	if len(f.ablate) > 0 || f.preset != "" {
		return of, usage("leave them out", "--ablate and --preset change nothing for the rankings in %s", path)
	}
	of.searcher, of.plain = &open.Searcher{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Kind: kindTREC}, true
	if of.preset, err = eval.FindPreset(""); err != nil {
		return of, err
	}
	of.ranked, err = eval.ReadRun(path)
	return of, err
}

// wordsOnly says that no vector is looked at.
func (of *contestant) wordsOnly() bool {
	return of.ranked != nil || of.searcher.Kind == open.PolicyBM25 || slices.Contains(of.ablations, eval.BM25Only)
}

// contestants are the policies that the flags name, checked as far as that costs
// nothing.
func (c *cli) contestants(ctx context.Context, f *evaluation) ([]contestant, *place, error) {
	p, err := c.here(f.settings())
	if err != nil {
		return nil, nil, err
	}
	var out []contestant
	agents := 0
	for _, name := range f.policies {
		preset, err := eval.FindPreset(f.preset)
		if err != nil {
			return nil, nil, err
		}
		of := contestant{preset: preset}
		s, err := f.searcherOf(p.config, name, preset)
		if err != nil {
			return nil, nil, err
		}
		of.searcher, of.plain = s, s.Kind == open.PolicyQuery || s.Kind == open.PolicyBM25
		if of.ablations, err = eval.ParseAblations(f.ablate, of.plain); err != nil {
			return nil, nil, err
		}
		if err := s.Check(ctx); err != nil {
			return nil, nil, err
		}
		if !of.plain {
			agents++
		}
		out = append(out, of)
	}
	for _, path := range f.trec {
		of, err := f.rankedIn(path)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, of)
	}
	names := map[string]bool{}
	for i := range out {
		if name := out[i].searcher.Name; names[name] {
			return nil, nil, usage("a name each in winnow.yaml", "the policy %s is given twice", name)
		} else {
			names[name] = true
		}
	}
	if f.rollouts > 1 && agents == 0 {
		return nil, nil, usage("leave it out", "--rollouts changes nothing for a policy that searches once")
	}
	return out, p, nil
}

// searcherOf is the policy of a name with what the flags and the preset say of
// it. Beside others, a policy that asks no model is left alone by flags that are
// about one.
func (f *evaluation) searcherOf(config *open.Config, name string, preset *eval.Preset) (*open.Searcher, error) {
	if len(f.policies) > 1 {
		if s, err := config.Searcher(open.PolicySettings{Policy: name}); err == nil && !s.Asks() {
			return s, nil
		}
	}
	p := f.searcher
	p.Policy = name
	if preset.Name == "" {
		return config.Searcher(p)
	}
	p.Profile = cmp.Or(p.Profile, preset.Profile)
	if p.Temperature == nil {
		p.Temperature = preset.Temperature
	}
	if p.Profile != preset.Profile {
		preset.Deviations = append(preset.Deviations, fmt.Sprintf("profile: %s in place of %s", p.Profile, preset.Profile))
	}
	if *p.Temperature != *preset.Temperature {
		preset.Deviations = append(preset.Deviations, fmt.Sprintf("temperature: %g in place of %g", *p.Temperature, *preset.Temperature))
	}
	s, err := config.Searcher(p)
	switch {
	case err != nil:
	case !s.Asks():
		err = usage("--model NAME", "the preset %s is for a policy that asks a model, and %s does not", preset.Name, s.Name)
	case s.Budget().Tokens != preset.Budget:
		preset.Deviations = append(preset.Deviations, fmt.Sprintf("budget: %d in place of %d tokens", s.Budget().Tokens, preset.Budget))
	}
	if err == nil && s.Kind != open.PolicyHarmony {
		preset.Deviations = append(preset.Deviations, "sampling: top-p and the effort of reasoning are the server's, and not 0.9 and high")
	}
	return s, err
}

// settings are what is said of a model that makes its answers others: by the
// configuration, and before it by flags and the preset.
func (of *contestant) settings(m *folder.Manifest, f *evaluation) map[string]any {
	out := map[string]any{}
	if !of.searcher.Asks() {
		return out
	}
	config, _ := m.Config.([]open.Setting)
	for _, setting := range config {
		if setting.Key == "policies."+of.searcher.Name || slices.Contains([]string{"base_url", "temperature", "thinking"}, setting.Key) {
			out[setting.Key] = setting.Value
		}
	}
	if f.searcher.BaseURL != "" {
		out["base_url"] = f.searcher.BaseURL
	}
	if t := cmp.Or(f.searcher.Temperature, of.preset.Temperature); t != nil {
		out["temperature"] = *t
	}
	return out
}
