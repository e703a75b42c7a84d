package ingest

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

const reply = `Return-Path: <ada@example.com>
From: =?utf-8?q?Ada_L=C3=B6velace?= <Ada@Example.com>
To: "Charles B." <charles@example.org>, Mary
 <mary@example.org>
Date: Tue, 4 Mar 2003 10:11:12 +0100
Subject: Re: The
 engine
Message-ID: <m3@example.com>
In-Reply-To: <m2@example.org>
References: <m1@example.org> <m2@example.org>
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe, that is=
 right.

> does it run?
Yes.

On Monday Charles wrote:
> one
> two
> three
> four
> five
`

func TestMail(t *testing.T) {
	doc := readOne(t, "mail/3.eml", strings.ReplaceAll(reply, "\n", "\r\n"))
	if doc.ID != "mail/3.eml#m3@example.com" || doc.Path != "mail/3.eml" || doc.Title != "Re: The engine" {
		t.Errorf("id %q, path %q, title %q", doc.ID, doc.Path, doc.Title)
	}
	if want := []string{"The engine", "m3@example.com"}; !reflect.DeepEqual(doc.Names, want) {
		t.Errorf("names %q", doc.Names)
	}
	if want := []winnow.Link{{Kind: winnow.LinkReply, Target: "m2@example.org"}, {Kind: winnow.LinkReply, Target: "m1@example.org"}}; !reflect.DeepEqual(doc.Links, want) {
		t.Errorf("links %v", doc.Links)
	}
	want := winnow.Metadata{
		"type": "mail", "folder": "mail", "from": "ada@example.com", "to": "charles@example.org, mary@example.org",
		"date": "2003-03-04T09:11:12Z", "timestamp": int64(1046769072), "thread": "m1@example.org",
	}
	// "Mary <mary@…>" is folded over two lines.
	if !reflect.DeepEqual(doc.Metadata, want) {
		t.Errorf("metadata %v", doc.Metadata)
	}
	own := "From: Ada Lövelace <Ada@Example.com>\nTo: \"Charles B.\" <charles@example.org>, Mary <mary@example.org>\n" +
		"Date: Tue, 4 Mar 2003 10:11:12 +0100\nSubject: Re: The engine\n\n" +
		"Grüße, that is right.\n\n> does it run?\nYes.\n\nOn Monday Charles wrote:\n"
	if len(doc.Chunks) != 2 || doc.Chunks[0].Text != own || doc.Chunks[0].Metadata != nil {
		t.Errorf("first chunk %+v", doc.Chunks[0])
	}
	if c := doc.Chunks[len(doc.Chunks)-1]; c.Metadata["quoted"] != true || !strings.HasPrefix(c.Text, "> one") {
		t.Errorf("last chunk %+v", c)
	}
}

func TestMailBodies(t *testing.T) {
	header := "From: a@b.c\nDate: Tue, 4 Mar 2003 10:11:12 +0100\nMessage-ID: <x@y>\n"
	lead := "From: a@b.c\nDate: Tue, 4 Mar 2003 10:11:12 +0100\n\n"
	packed := base64.StdEncoding.EncodeToString([]byte("Grüße aus Köln"))
	for _, c := range []struct{ name, body, want string }{
		{"base64", "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + packed[:9] + "\n" + packed[9:] + "\n", "Grüße aus Köln\n\n"},
		{"HTML only", "Content-Type: text/html\n\n<p>One</p><p>Two &amp; three</p>", "One\n\nTwo & three\n\n"},
		{
			"alternatives", "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n<b>rich</b>\n--b\nContent-Type: text/plain\n\nplain\n--b--\n",
			"plain\n\n",
		},
		{
			"attachments", "Content-Type: multipart/mixed; boundary=\"b c\"\n\n--b c\nContent-Type: text/plain\n\ntext\n" +
				"--b c\nContent-Type: application/pdf; name=\"a.pdf\"\nContent-Disposition: attachment; filename=\"a.pdf\"\n\nXX\n" +
				"--b c\nContent-Type: message/rfc822\n\nFrom: inner@x.y\nSubject: Inner\n\ninner text\n--b c--\n",
			"text\n\nFrom: inner@x.y\nSubject: Inner\n\ninner text\n\n",
		},
		{"no boundary", "Content-Type: multipart/mixed\n\njust text\n", "just text\n\n"},
		{"Japanese", "Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B$3$s$K$A$O\x1b(B\n", "こんにちは\n\n"},
		{"unknown charset", "Content-Type: text/plain; charset=nonsense\n\nplain\n", "plain\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := readOne(t, "a.eml", header+c.body)
			if doc.Text() != lead+c.want {
				t.Errorf("text %q", doc.Text())
			}
			if c.name == "attachments" && doc.Metadata["attachments"] != "a.pdf" {
				t.Errorf("metadata %v", doc.Metadata)
			}
		})
	}
}

func TestAMailQuotedWholeIsMarked(t *testing.T) {
	doc := readOne(t, "a.eml", "From: a@b.c\nSubject: x\n\nMy answer.\n\n-----Original Message-----\nFrom: d@e.f\n\nTheir question.\n")
	if len(doc.Chunks) != 2 || doc.Chunks[1].Metadata["quoted"] != true || doc.Chunks[0].Metadata["quoted"] != nil {
		t.Fatalf("chunks %+v", doc.Chunks)
	}
}

// Files in a Maildir have no extension.
func TestMailIsRecognisedByItsHeader(t *testing.T) {
	if doc := readOne(t, "cur/1234.host:2,S", reply); doc.Metadata["type"] != "mail" {
		t.Errorf("metadata %v", doc.Metadata)
	}
	if doc := readOne(t, "notes", "From: the beginning\nDate: never\n\nText"); doc.Metadata["type"] != "text" {
		t.Errorf("metadata %v", doc.Metadata)
	}
}

const mailbox = `From ada@example.com Tue Mar  4 10:11:12 2003
From: Ada <ada@example.com>
Subject: One
Message-ID: <1@x>

From here on it is text.
>From the next line too.

From now on, still the same mail.

From - Wed Mar 05 10:11:12 2003
From: Bob <bob@example.com>
Subject: Two

No id.

From bob@example.com Thu Mar  6 10:11:12 2003
From: Bob <bob@example.com>
Subject: Three
Message-ID: <3@x>

Last.
`

func TestMbox(t *testing.T) {
	for _, name := range []string{"in.mbox", "Inbox"} {
		docs, _, err := Read(name, []byte(mailbox))
		if err != nil || len(docs) != 3 {
			t.Fatalf("%d documents, error %v", len(docs), err)
		}
		for _, doc := range docs {
			check(t, doc)
		}
		if docs[0].ID != name+"#1@x" || docs[2].ID != name+"#3@x" || !strings.HasPrefix(docs[1].ID, name+"#") || docs[0].Path != name {
			t.Errorf("ids %q %q %q", docs[0].ID, docs[1].ID, docs[2].ID)
		}
		if want := "From: Ada <ada@example.com>\nSubject: One\n\nFrom here on it is text.\nFrom the next line too.\n\nFrom now on, still the same mail.\n\n"; docs[0].Text() != want {
			t.Errorf("text %q", docs[0].Text())
		}
	}
}
