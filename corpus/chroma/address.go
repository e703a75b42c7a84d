package chroma

import (
	"net/url"
	"strings"

	"github.com/winnow-search/winnow"
)

// Address names a server, a database of it, or a collection.
type Address struct {
	TLS bool
	// Host is with its port.
	Host string
	// Tenant and Database are empty where the address leaves them to the server.
	Tenant, Database string
	// Collection is empty where the address names none.
	Collection string
}

// The schemes of an address.
const (
	scheme    = "chroma"
	schemeTLS = "chroma+https"
)

// What a server has where nobody said otherwise.
const (
	defaultTenant   = "default_tenant"
	defaultDatabase = "default_database"
	defaultPort     = "8000"
)

// IsAddress tells an address from the name of a collection on disk.
func IsAddress(s string) bool {
	before, _, ok := strings.Cut(s, "://")
	return ok && (before == scheme || before == schemeTLS)
}

const addressHint = "chroma://host:port/collection or chroma+https://host/tenant/database/collection"

// ParseAddress reads chroma://host:port/collection, and chroma+https:// for TLS,
// with tenant and database before the collection where they are not the
// server's own.
func ParseAddress(s string) (Address, error) {
	bad := func(why string) (Address, error) {
		return Address{}, &winnow.Error{Code: winnow.BadInput, Message: "the address of Chroma " + why, Hint: addressHint}
	}
	u, err := url.Parse(s)
	if err != nil || !IsAddress(s) || u.Host == "" || u.Hostname() == "" {
		return bad("can't be read")
	}
	if u.User != nil {
		return bad("holds a password, which would be seen; keys come from CHROMA_API_KEY")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return bad("has more behind the collection")
	}
	a := Address{TLS: u.Scheme == schemeTLS, Host: u.Host}
	if u.Port() == "" && !a.TLS {
		a.Host += ":" + defaultPort
	}
	var parts []string
	if path := strings.TrimSuffix(strings.TrimPrefix(u.Path, "/"), "/"); path != "" {
		parts = strings.Split(path, "/")
	}
	for _, p := range parts {
		if p == "" || p == "." || p == ".." {
			return bad("has an empty part")
		}
	}
	switch len(parts) {
	case 0:
	case 1:
		a.Collection = parts[0]
	case 2:
		a.Tenant, a.Database = parts[0], parts[1]
	case 3:
		a.Tenant, a.Database, a.Collection = parts[0], parts[1], parts[2]
	default:
		return bad("has too many parts")
	}
	return a, nil
}

// Root is the address without its collection.
func (a Address) Root() Address {
	a.Collection = ""
	return a
}

// String is the address as it is written. It holds nothing secret.
func (a Address) String() string {
	s := scheme
	if a.TLS {
		s = schemeTLS
	}
	s += "://" + a.Host
	if a.Tenant != "" {
		s += "/" + url.PathEscape(a.Tenant) + "/" + url.PathEscape(a.Database)
	}
	if a.Collection != "" {
		s += "/" + url.PathEscape(a.Collection)
	}
	return s
}

// Server is the host as errors name it.
func (a Address) Server() string { return a.Host }

// base is where the server's HTTP begins.
func (a Address) base() string {
	if a.TLS {
		return "https://" + a.Host
	}
	return "http://" + a.Host
}
