package main

import (
	"github.com/spf13/cobra"
)

// model is the MODEL of a command: who gives texts their meaning and who ranks.
type model struct {
	embedder string
	rerank   string
}

func (m *model) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.embedder, "embedder", "", "`builtin`, static, off, or the address of an OpenAI-compatible server")
	f.StringVar(&m.rerank, "rerank", "", "`builtin`, off, or the address of a rerank server")
	cmd.RegisterFlagCompletionFunc("embedder", cobra.FixedCompletions([]string{"builtin", "static", "off"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("rerank", cobra.FixedCompletions([]string{"builtin", "off"}, cobra.ShellCompDirectiveNoFileComp))
}

// settings are the flags as settings, which go before the configuration's.
func (m *model) settings() map[string]string {
	return map[string]string{"embedder": m.embedder, "rerank": m.rerank}
}
