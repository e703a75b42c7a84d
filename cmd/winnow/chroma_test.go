package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
)

func TestAFolderGoesToChromaAndIsAskedThere(t *testing.T) {
	stage(t)
	t.Setenv("WINNOW_RERANK", "off")
	write(t, "notes/apples.md", "# Apples\n\nApples are red.\n")
	write(t, "notes/pears.md", "# Pears\n\nPears are green, apples are not pears.\n")
	server := chromatest.Start(t, chromatest.Options{}).URL
	address := server + "/notes"
	if out := must(t, "index", "--to", address, "notes"); !strings.Contains(out, "2 documents") {
		t.Errorf("index says %q", out)
	}
	for _, args := range [][]string{{}, {"--no-dense"}} {
		out := must(t, append([]string{"query", "--collection", address, "--format", "paths", "green pears"}, args...)...)
		if !strings.HasPrefix(out, "pears.md") {
			t.Errorf("%v: query prints %q", args, out)
		}
	}
	if out := must(t, "grep", "--collection", address, "are re."); out != "apples.md:3:Apples are red.\n" {
		t.Errorf("grep prints %q", out)
	}
	if out := must(t, "read", "--collection", address, "apples.md"); !strings.Contains(out, "Apples are red.") {
		t.Errorf("read prints %q", out)
	}
	if a := asked(t, "--collection", address, "--policy", "query", "what is green?"); len(a.Ranking) == 0 || a.Ranking[0].Collection != address {
		t.Errorf("ask gives %+v", a)
	}
	var list struct {
		Collections []struct{ Collection, Embedder, Companion string }
	}
	if err := json.Unmarshal([]byte(must(t, "ls", "--json", server)), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Collections) != 1 || list.Collections[0].Collection != address || list.Collections[0].Embedder != "default" || list.Collections[0].Companion != "in step by count" {
		t.Errorf("ls lists %+v", list)
	}
	if out := must(t, "index", "--collection", address); !strings.Contains(out, "nothing changed") {
		t.Errorf("following it says %q", out)
	}
	must(t, "rm", address)
	if out := must(t, "ls", server); !strings.Contains(out, "none") {
		t.Errorf("after rm ls prints %q", out)
	}
}
