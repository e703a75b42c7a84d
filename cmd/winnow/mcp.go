package main

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/serve/mcp"
)

func (c *cli) mcpCommand() *cobra.Command {
	var w where
	var m model
	cmd := &cobra.Command{
		Use:   "mcp [WHERE] [MODEL]",
		Short: "Let assistants search, over MCP on stdin and stdout",
		Long: `Mcp speaks the Model Context Protocol on stdin and stdout, for assistants that
start it themselves. Its tools are ask, query, grep, read and list_collections.

It answers at once: folders are indexed behind it, kept up to date while it runs,
and vectors fill in when nothing else goes on. Runs are recorded, and winnow serve
shows them live.`,
		Example: `  winnow mcp --in ~/notes
  claude mcp add notes -- winnow mcp --in ~/notes
  winnow mcp --collection handbook --policy ctx1`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.mcp(cmd.Context(), cmd.InOrStdin(), &w, &m) },
	}
	w.flags(cmd)
	m.flags(cmd)
	m.policyFlags(cmd)
	return cmd
}

func (c *cli) mcp(ctx context.Context, stdin io.Reader, w *where, m *model) error {
	log := c.log() // on stderr: stdout is the protocol's
	d, err := c.desk(w, m, desk.Options{}, log)
	if err != nil {
		return err
	}
	defer d.Close()
	server := mcp.New(mcp.Options{Desk: d, Version: version().Version, Log: log})
	err = server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(stdin), Writer: keptOpen{c.stdout}})
	if errors.Is(err, io.EOF) || ctx.Err() != nil { // the assistant has gone, or wants us to
		return nil
	}
	return err
}

// keptOpen is a writer that is not ours to close.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
