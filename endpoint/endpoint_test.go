package endpoint

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestNothingSecretIsTold(t *testing.T) {
	u, err := url.Parse("https://user:pass@host:1/v1/x?token=abc")
	if err != nil {
		t.Fatal(err)
	}
	if got := Place(u); got != "https://host:1/v1/x" {
		t.Errorf("the place is %q", got)
	}
	why := errors.New("refused")
	if got := Bare(&url.Error{Op: "Post", URL: u.String(), Err: why}); got != why {
		t.Errorf("the bare error is %v", got)
	}
	said := Quote(strings.Repeat("x", QuoteLen-3)+" sk-secret\n\xff and more", "sk-secret").Error()
	if strings.Contains(said, "secret") || strings.Contains(said, "sk-") || len(said) > QuoteLen+len(" …") {
		t.Errorf("the quote is %q", said)
	}
	if Quote(" \n", "k") != nil {
		t.Error("silence is quoted")
	}
}
