package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/runs"
)

// The exit codes of every command.
const (
	exitOK    = 0
	exitFail  = 1 // a failure, or nothing that matches
	exitUsage = 2 // a command line that can't be used
)

// cli is what all commands share.
type cli struct {
	stdout, stderr io.Writer
	outTerminal    terminal
	errTerminal    terminal

	json  bool
	quiet bool
}

// Run runs the command line args and returns its exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &cli{stdout: stdout, stderr: stderr, outTerminal: terminalOf(stdout), errTerminal: terminalOf(stderr)}
	return c.run(ctx, args, stdin)
}

func (c *cli) run(ctx context.Context, args []string, stdin io.Reader) int {
	root := c.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && err != errCutShort && ctx.Err() != nil {
		err = errInterrupted
	}
	return c.exit(err)
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "winnow",
		Short: "Search folders and collections",
		Long: `Winnow searches folders and collections of documents from one binary.

All it keeps lies under $WINNOW_HOME (winnow config says where), never in the
folders that it searches.`,
		Example: `  winnow ask "how does a commit survive kill -9"
  winnow query --in ~/notes --format context "tax return deadlines"
  winnow grep --in src 'func \w+Lock'
  winnow index --watch ~/notes`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			hint := "winnow --help"
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "winnow " + near[0]
			}
			return usage(hint, "there is no command %q", args[0])
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print JSON")
	root.PersistentFlags().BoolVarP(&c.quiet, "quiet", "q", false, "no progress and no warnings on stderr")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd.CommandPath()+" --help", "%s", err)
	})
	root.AddCommand(c.askCommand(), c.replayCommand(), c.exportCommand(), c.queryCommand(), c.grepCommand(), c.readCommand(), c.linksCommand(), c.whyCommand(), c.trainCommand(), c.indexCommand(), c.lsCommand(), c.rmCommand(),
		c.evalCommand(), c.judgeCommand(), c.compareCommand(), c.serveCommand(), c.mcpCommand(), c.doctorCommand(), c.configCommand(), c.versionCommand())
	return root
}

// errNoMatch ends a command that worked and found nothing.
var errNoMatch = errors.New("nothing matches")

// errCutShort ends a command that printed what it had, and why that is not all.
var errCutShort = errors.New("cut short")

var errInterrupted = &winnow.Error{Message: "interrupted; what was committed stays"}

// usage is an error about the command line itself.
func usage(hint, format string, args ...any) error {
	return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// arguments wants from low to high positional arguments, any number from low if
// high is negative; what says which one is missing.
func arguments(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return usage(cmd.CommandPath()+" --help", "%s is missing", what)
		case high >= 0 && len(args) > high:
			return usage("put quotes around what belongs together", "there is one argument too many: %q", args[high])
		}
		return nil
	}
}

// exit prints what went wrong and returns the exit code. With --json the same
// goes to stdout as {"error": {"code", "message", "hint"}}, so that a script
// that reads stdout always gets a document.
func (c *cli) exit(err error) int {
	if err == nil {
		return exitOK
	}
	if err == errNoMatch || err == errCutShort {
		return exitFail
	}
	hint, code := c.complain(err)
	if c.json {
		c.print(map[string]any{"error": winnow.Error{Code: cmp.Or(code, "failed"), Message: err.Error(), Hint: hint}})
	}
	switch code {
	case winnow.BadInput, winnow.BadFilter, winnow.BadPattern:
		return exitUsage
	}
	return exitFail
}

// complain tells a person what went wrong and what helps.
func (c *cli) complain(err error) (hint string, code winnow.Code) {
	var known *winnow.Error
	if errors.As(err, &known) {
		hint, code = known.Hint, known.Code
	}
	fmt.Fprintln(c.stderr, c.errTerminal.paint(red, "Error:"), c.errTerminal.safe(err.Error()))
	if hint != "" {
		fmt.Fprintln(c.stderr, c.errTerminal.paint(bold, "Try:"), c.errTerminal.safe(hint))
	}
	return hint, code
}

// print writes a value as JSON: indented for people, one line otherwise.
func (c *cli) print(v any) error {
	e := json.NewEncoder(c.stdout)
	e.SetEscapeHTML(false)
	if c.outTerminal.is() {
		e.SetIndent("", "  ")
	}
	return e.Encode(v)
}

// warn prints warnings for people; in JSON they are part of the answer.
func (c *cli) warn(warnings []string) {
	if c.quiet || c.json {
		return
	}
	for _, w := range warnings {
		fmt.Fprintln(c.stderr, c.errTerminal.paint(yellow, "Warning:"), c.errTerminal.safe(w))
	}
}

// note tells a person on stderr what stdout does not.
func (c *cli) note(format string, args ...any) {
	if !c.quiet && !c.json {
		fmt.Fprintln(c.stderr, c.errTerminal.paint(dim, c.errTerminal.safe(fmt.Sprintf(format, args...))))
	}
}

// place is where a command runs: its folder, its state and its configuration.
type place struct {
	dir    string
	home   open.Home
	config *open.Config
}

// here finds the place. Flags are the settings given on the command line.
func (c *cli) here(flags map[string]string) (*place, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	home, err := open.DefaultHome()
	if err != nil {
		return nil, err
	}
	config, err := open.LoadConfig(dir, flags)
	if err != nil {
		return nil, err
	}
	return &place{dir: dir, home: open.NewHome(home), config: config}, nil
}

// runs is the folder of recorded runs.
func (c *cli) runs() (runs.Folder, error) {
	home, err := open.DefaultHome()
	return runs.In(home), err
}
