package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

// guard stands in front of every route. It lets nobody in who came by a name
// that is not the server's (DNS rebinding) or from another site's page, and
// where there is a token, nobody without it.
type guard struct {
	loopback bool
	hosts    map[string]bool
	token    [sha256.Size]byte
	locked   bool // there is a token
	origins  *http.CrossOriginProtection

	mu       sync.Mutex
	codes    map[[sha256.Size]byte]time.Time // one-time links, until when
	sessions map[[sha256.Size]byte]time.Time // cookies, until when
}

const (
	codeTime    = 15 * time.Minute
	sessionTime = 12 * time.Hour
	// sessionsMost bounds what logging in again and again takes.
	sessionsMost = 1000
	cookieName   = "winnow_session"
	minToken     = 16 // bytes; less can be guessed
)

func newGuard(addr, token string, hosts []string) (*guard, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the address " + addr + " is not HOST:PORT", Hint: "--addr " + DefaultAddr}
	}
	g := &guard{
		loopback: isLoopback(host), hosts: map[string]bool{"localhost": true},
		origins: http.NewCrossOriginProtection(), codes: map[[sha256.Size]byte]time.Time{}, sessions: map[[sha256.Size]byte]time.Time{},
	}
	if token == "" && !g.loopback {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "everybody who can reach " + addr + " could read your documents",
			Hint: "--token-env NAME with a secret in that variable, or --addr " + DefaultAddr}
	}
	if token != "" && len(token) < minToken {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the token is too short to be a secret", Hint: "16 characters or more, as from: openssl rand -hex 16"}
	}
	if token != "" {
		g.token, g.locked = sha256.Sum256([]byte(token)), true
	}
	if own, err := os.Hostname(); err == nil && !g.loopback {
		g.hosts[strings.ToLower(own)] = true
	}
	for _, h := range append(hosts, host) {
		if h != "" {
			g.hosts[strings.ToLower(h)] = true
		}
	}
	return g, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// headers are those of every reply. Scripts and styles come from the server
// alone, and nothing is inline: documents are hostile.
func headers(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// check says why a request may not pass. Open routes need no token.
func (g *guard) check(r *http.Request, open bool) error {
	if !g.known(r.Host) {
		return fault(http.StatusForbidden, forbidden, "--host NAME lets the server be called by another name", "the server is not called by this name")
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "null" {
		u, err := url.Parse(origin)
		if err != nil || !g.known(u.Host) || u.Host != r.Host {
			return fault(http.StatusForbidden, forbidden, "use the server's own page", "pages of other sites may not ask")
		}
	}
	// A link from another site may lead to the page, and to nothing behind it.
	if g.origins.Check(r) != nil || !open && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return fault(http.StatusForbidden, forbidden, "use the server's own page", "pages of other sites may not ask")
	}
	if open || !g.locked {
		return nil
	}
	return g.identify(r)
}

// known reports whether a Host is the server's. An address can't be rebound, so
// where strangers are let in at all any address will do.
func (g *guard) known(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if g.hosts[name] {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (!g.loopback || ip.IsLoopback())
}

// identify wants the token, or the cookie of one who logged in.
func (g *guard) identify(r *http.Request) error {
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		sum := sha256.Sum256([]byte(given)) // equal lengths, so that nothing but equality shows
		if subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 {
			return nil
		}
		return fault(http.StatusUnauthorized, unauthorized, "the token the server was started with", "the token is wrong")
	}
	if c, err := r.Cookie(cookieName); err == nil {
		if g.valid(c.Value) {
			return nil
		}
		return fault(http.StatusUnauthorized, unauthorized, "a new link from whoever started the server", "the session has expired")
	}
	return fault(http.StatusUnauthorized, unauthorized, "Authorization: Bearer TOKEN, or the link that the server printed", "a token is needed")
}

// valid looks a session up by its hash, so that the time it takes tells nothing.
func (g *guard) valid(session string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	until, ok := g.sessions[sha256.Sum256([]byte(session))]
	return ok && time.Now().Before(until)
}

// spend uses a one-time code up.
func (g *guard) spend(code string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	sum := sha256.Sum256([]byte(code))
	until, ok := g.codes[sum]
	delete(g.codes, sum)
	return ok && time.Now().Before(until)
}

// issue makes a secret that is valid for a while.
func (g *guard) issue(in map[[sha256.Size]byte]time.Time, life time.Duration) string {
	secret := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for k, until := range in {
		if now.After(until) || len(in) >= sessionsMost {
			delete(in, k)
		}
	}
	in[sha256.Sum256([]byte(secret))] = now.Add(life)
	return secret
}

// link is an address that logs a browser in once.
func (g *guard) link(base string) string {
	if !g.locked {
		return base + "/"
	}
	return base + "/login?code=" + base64.RawURLEncoding.EncodeToString([]byte(g.issue(g.codes, codeTime)))
}

// isSecure reports whether the browser came by TLS, which a proxy in front ends.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// loginLink makes a link for another browser.
func (s *Server) loginLink(w http.ResponseWriter, r *http.Request) error {
	base := "http://" + r.Host
	if isSecure(r) {
		base = "https://" + r.Host
	}
	reply(w, http.StatusOK, wire.LoginLink{Link: s.guard.link(base)})
	return nil
}

// login takes a one-time code for a cookie.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	g := s.guard
	code, err := base64.RawURLEncoding.DecodeString(r.URL.Query().Get("code"))
	if err != nil || !g.spend(string(code)) {
		return fault(http.StatusUnauthorized, unauthorized, "a new link from whoever started the server", "the link has been used or has expired")
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: g.issue(g.sessions, sessionTime), Path: "/", MaxAge: int(sessionTime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: isSecure(r),
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
