// Package endpoint is what every client of a server of ours does alike: wait
// between attempts, see which models are served, read a stream of events, and
// speak of the server in errors without giving away what is secret. Each client
// keeps its own requests and its own hints: those differ, and one client for all
// would have an option for each.
//
// The APIs of models are a request and a stream, in a dozen types, so we speak
// them ourselves. The providers' SDKs hold every endpoint that a provider has, and
// compiling two of them took nearly twice as long as compiling all the rest.
package endpoint

import (
	"errors"
	"net/url"
	"strings"

	"github.com/winnow-search/winnow"
)

// Base reads the address of an OpenAI-compatible API. "/v1" is added to one
// without a path, and the path of a single endpoint is taken off.
func Base(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the model's address is not an http or https URL without a password in it",
			Hint: "--base-url http://localhost:8000/v1"}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/completions"} {
		u.Path = strings.TrimSuffix(u.Path, end)
	}
	if u.Path == "" {
		u.Path = "/v1"
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// Place is a URL as an error may show it: no user, no password, no query.
func Place(u *url.URL) string { return u.Scheme + "://" + u.Host + u.Path }

// Bare takes the URL out of an error of net/http, which shows all of it.
func Bare(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// QuoteLen bounds what an error repeats of a server's words.
const QuoteLen = 200

// Quote is the beginning of a server's words as an error, nil if it said
// nothing. Keys and other secrets are taken out first: some servers repeat them.
func Quote(said string, secrets ...string) error {
	said = strings.Join(strings.Fields(said), " ")
	if said == "" {
		return nil
	}
	for _, s := range secrets {
		if s != "" {
			said = strings.ReplaceAll(said, s, "[key]")
		}
	}
	if len(said) > QuoteLen {
		said = said[:QuoteLen] + " …"
	}
	return errors.New(strings.ToValidUTF8(said, ""))
}
