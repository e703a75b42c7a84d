package judge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Desk is a page on which a person judges. It is served to this machine alone,
// and only to who has the token in its address: another user of the machine, or a
// web page that guesses the port, sees and says nothing.
type Desk struct {
	pool  *Pool
	book  *Book
	token string

	mu   sync.Mutex
	err  error
	done chan struct{}
	once sync.Once
}

// NewDesk returns the page for a pool.
func NewDesk(p *Pool, b *Book) *Desk {
	var random [16]byte
	rand.Read(random[:])
	return &Desk{pool: p, book: b, token: hex.EncodeToString(random[:]), done: make(chan struct{})}
}

// Serve answers on a loopback listener until the person is done or the context
// ends. It tells the address to open.
func (d *Desk) Serve(ctx context.Context, l net.Listener, open func(address string)) error {
	server := &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 16}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	open("http://" + l.Addr().String() + "/?token=" + d.token)
	select {
	case err := <-ended:
		return err
	case <-d.done:
	case <-ctx.Done():
	}
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	server.Shutdown(grace)
	<-ended
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) { // a name that was pointed here
		http.Error(w, "this page is for this machine only", http.StatusForbidden)
		return
	}
	token := r.Header.Get("X-Token")
	if r.Method == http.MethodGet && r.URL.Path == "/" {
		token = r.URL.Query().Get("token")
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(d.token)) != 1 {
		http.Error(w, "open the address that winnow judge printed", http.StatusForbidden)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	switch r.Method + " " + r.URL.Path {
	case "GET /":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; style-src "+hash(style)+"; script-src "+hash(script)+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		fmt.Fprint(w, strings.NewReplacer("/*style*/", style, "/*script*/", script).Replace(markup))
	case "GET /items":
		d.items(w)
	case "POST /label":
		d.label(w, r)
	case "POST /done":
		w.WriteHeader(http.StatusNoContent)
		d.once.Do(func() { close(d.done) })
	default:
		http.NotFound(w, r)
	}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// shownItem is an item as the page gets it: nothing in it tells who found it.
type shownItem struct {
	Question string   `json:"question"`
	Title    string   `json:"title"`
	Passages []string `json:"passages"`
	Verdict  Verdict  `json:"verdict"`
}

func (d *Desk) items(w http.ResponseWriter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]shownItem, len(d.pool.Items))
	for i := range d.pool.Items {
		of := &d.pool.Items[i]
		out[i] = shownItem{Question: of.Text, Title: of.Name()}
		out[i].Verdict, _ = d.book.By(Person, of.Pair)
		for _, p := range of.Passages {
			out[i].Passages = append(out[i].Passages, p.Text)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(out)
}

func (d *Desk) label(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Item    int     `json:"item"`
		Verdict Verdict `json:"verdict"`
	}
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<12)).Decode(&said) != nil || said.Item < 0 || said.Item >= len(d.pool.Items) || !said.Verdict.Valid() {
		http.Error(w, "this is no label", http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	of := &d.pool.Items[said.Item]
	if err := d.book.Add(Label{Question: of.Question, Document: of.Document, Verdict: said.Verdict, By: Person}); err != nil {
		d.err = err
		http.Error(w, "the label could not be written", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
