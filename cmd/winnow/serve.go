package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/runs"
	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/serve/mcp"
	"github.com/winnow-search/winnow/serve/page"
)

// serving are the flags of serve.
type serving struct {
	where    where
	model    model
	addr     string
	open     bool
	token    string
	tokenEnv string
	hosts    []string
	maxRuns  int
	queue    int
	maxTime  time.Duration
}

func (c *cli) serveCommand() *cobra.Command {
	var f serving
	cmd := &cobra.Command{
		Use:   "serve [WHERE] [MODEL]",
		Short: "Answer over HTTP and MCP, with a page to watch the search",
		Long: `Serve answers questions over HTTP, with every step of the search as a live event,
and over MCP under /mcp. Folders given with --in are kept up to date while it runs,
and vectors fill in behind.

It listens on this machine alone unless told otherwise. Beyond that it wants a
token, which --token-env takes from an environment variable; browsers log in by
the link that it prints.`,
		Example: `  winnow serve --in ~/notes --open
  winnow serve --collection handbook --policy ctx1
  WINNOW_TOKEN=$(openssl rand -hex 16) winnow serve --addr 0.0.0.0:7700 --token-env WINNOW_TOKEN`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), &f) },
	}
	f.where.flags(cmd)
	f.model.flags(cmd)
	f.model.policyFlags(cmd)
	o := cmd.Flags()
	o.StringVar(&f.addr, "addr", serve.DefaultAddr, "listen on `HOST:PORT`")
	o.BoolVar(&f.open, "open", false, "open the page in a browser")
	o.StringVar(&f.token, "token", "", "let in only who has the secret `TOKEN`; other users of this machine can see it here, so better --token-env")
	o.StringVar(&f.tokenEnv, "token-env", "", "take the token from the environment variable `NAME`")
	o.StringArrayVar(&f.hosts, "host", nil, "a further `NAME` that the server is called by, as behind a proxy; repeatable")
	o.IntVar(&f.maxRuns, "max-runs", 0, "run `N` questions at once (default one for each core, or 16 where a model answers)")
	o.IntVar(&f.queue, "queue", 256, "let `N` more wait")
	o.DurationVar(&f.maxTime, "max-time", 10*time.Minute, "end a run after `TIME` with its best ranking")
	return cmd
}

// desk opens a desk over what the flags say.
func (c *cli) desk(w *where, m *model, o desk.Options, log *slog.Logger) (*desk.Desk, error) {
	scope, err := w.scope()
	if err != nil {
		return nil, err
	}
	p, err := c.here(m.settings())
	if err != nil {
		return nil, err
	}
	o.Home, o.Config, o.Dir, o.Runs = p.home, p.config, p.dir, runs.In(p.home.Dir())
	o.Where, o.Scope, o.Policy = w.Where, scope, m.searcher
	o.Panicked = func(run string, reason any, stack []byte) {
		log.Error("a run panicked", "run", run, "reason", reason, "stack", string(stack))
	}
	return desk.New(o)
}

func (c *cli) serve(ctx context.Context, f *serving) error {
	token, err := f.secret()
	if err != nil {
		return err
	}
	if f.maxRuns < 0 || f.queue < 0 || f.maxTime < time.Second {
		return usage("winnow serve --help", "--max-runs and --queue can't be negative, and --max-time wants a second or more")
	}
	if f.queue == 0 {
		f.queue = -1 // the desk's word for none
	}
	log := c.log()
	d, err := c.desk(&f.where, &f.model, desk.Options{MaxRuns: f.maxRuns, Queue: f.queue, MaxTime: f.maxTime}, log)
	if err != nil {
		return err
	}
	defer d.Close()
	defer tune()()
	tools := mcp.New(mcp.Options{Desk: d, Version: version().Version, Log: log})
	s, err := serve.New(serve.Options{
		Desk: d, Addr: f.addr, Token: token, Hosts: f.hosts, Version: version().Version, MCP: mcp.Handler(tools), Page: page.Files(),
		Failed: func(route string, err error) { log.Error("a request failed", "route", route, "error", err) },
	})
	if err != nil {
		return err
	}
	l, err := s.Listen(ctx)
	if err != nil {
		return err
	}
	link := s.LoginLink(reachable(l.Addr()))
	if c.json {
		err = c.print(map[string]string{"addr": l.Addr().String(), "link": link})
	} else {
		_, err = fmt.Fprintf(c.stdout, "Winnow answers at %s (Ctrl-C stops it)\n", link)
	}
	if err != nil {
		return err
	}
	if f.open {
		browse(link)
	}
	return s.Serve(ctx, l)
}

// log is for what goes wrong behind the answers.
func (c *cli) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// secret is the token.
func (f *serving) secret() (string, error) {
	if f.tokenEnv == "" {
		return f.token, nil
	}
	if f.token != "" {
		return "", usage("--token-env "+f.tokenEnv, "--token and --token-env are the same thing")
	}
	token := os.Getenv(f.tokenEnv)
	if token == "" {
		return "", usage("export "+f.tokenEnv+"=$(openssl rand -hex 16)", "the environment variable %s holds no token", f.tokenEnv)
	}
	return token, nil
}

// reachable is an address that a browser can use: everywhere is nowhere.
func reachable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

// browse opens a page. Where there is no browser, the link has been printed.
func browse(link string) {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	cmd := exec.Command(name, link)
	if cmd.Start() == nil {
		cmd.Process.Release() // it outlives us
	}
}
