package main

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
)

// model is the MODEL of a command: who gives texts their meaning, who ranks, and
// who looks for an answer.
type model struct {
	embedder string
	noDense  bool
	rerank   string
	searcher open.PolicySettings
}

// flags are those of every command that searches.
func (m *model) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.embedder, "embedder", "", "`builtin`, static, off, or the address of an OpenAI-compatible server")
	f.BoolVar(&m.noDense, "no-dense", false, "search words and links alone, as --embedder off")
	f.StringVar(&m.rerank, "rerank", "", "`builtin`, off, or the address of a rerank server")
	cmd.RegisterFlagCompletionFunc("embedder", cobra.FixedCompletions([]string{"builtin", "static", "off"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("rerank", cobra.FixedCompletions([]string{"builtin", "off"}, cobra.ShellCompDirectiveNoFileComp))
}

// policyFlags are those of commands that let a policy search. They go before
// what the configuration says of the policy.
func (m *model) policyFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.searcher.Policy, "policy", "", "`POLICY`: "+strings.Join(open.Policies(), ", ")+", or the name of one in winnow.yaml (default builtin, or chat with --model)")
	cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	m.searcherFlags(cmd)
}

// searcherFlags are what the policy is run with; eval takes several policies.
func (m *model) searcherFlags(cmd *cobra.Command) {
	p, f := &m.searcher, cmd.Flags()
	f.StringVar(&p.Model, "model", "", "the `NAME` of the model on its server")
	f.StringVar(&p.BaseURL, "base-url", "", "the server's `URL`, as in http://localhost:8000/v1")
	f.StringVar(&p.Profile, "profile", "", "`PROFILE` of tools and limits: winnow or context-1 (default: what suits the policy)")
	f.StringVar(&p.Prompt, "prompt", "", "the `FILE` with a prompt in place of the profile's; {question} stands for the question")
	f.IntVar(&p.Budget, "budget", 0, "bound the view to `N` tokens (default 32768)")
	f.DurationVar(&p.Timeout, "timeout", 0, "how long the model's server may be silent, as in `90s`")
	f.Func("temperature", "of sampling, `T` (default: the server's choice)", func(text string) error {
		t, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("it is no number")
		}
		p.Temperature = &t
		return nil
	})
	cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{agent.Winnow, agent.Context1}, cobra.ShellCompDirectiveNoFileComp))
}

// settings are the flags as settings, which go before the configuration's.
func (m *model) settings() map[string]string {
	if m.noDense {
		m.embedder = "off"
	}
	return map[string]string{"embedder": m.embedder, "rerank": m.rerank}
}

func completePolicies(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := open.Policies()
	if dir, err := os.Getwd(); err == nil {
		if c, err := open.LoadConfig(dir, nil); err == nil {
			names = append(names, slices.Sorted(maps.Keys(c.Policies))...)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
