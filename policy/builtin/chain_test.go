package builtin

import (
	"slices"
	"strings"
	"testing"
)

// townHall is evidence for a question of two hops: the second document shares no
// word with the question but one, and three that share more stand before it.
func townHall() (e *evidence, hall, architect *passage) {
	m := NewModel(nil)
	q := m.question("Where was the architect of the Harrowmere town hall born?")
	hall = shown(m, q, "harrowmere", "Harrowmere", "Harrowmere is a market place. Its town hall was drawn by the architect Agnes Tolliver.", 1)
	architect = shown(m, q, "tolliver", "Agnes Tolliver", "Agnes Tolliver drew bridges and halls. She was born in Leipsworth.", 5)
	return evident(q, hall,
		shown(m, q, "fair", "Lantern Fair", "The fair is held before the town hall of Brannock. The mayor, born in Ostley, opens it.", 2),
		shown(m, q, "mill", "Crane Mill", "An architect from Port Ellory drew the mill of the town.", 3),
		shown(m, q, "pool", "Slipway Pool", "The pool of the town has a hall for swimmers.", 4),
		architect), hall, architect
}

func TestAChainGoesFromANameToWhatItNames(t *testing.T) {
	e, hall, architect := townHall()
	best := e.chains[0]
	if best.depth != 2 || best.back.last != hall || best.last != architect || best.link.kind != linkNamed || best.link.via != "agnes tolliver" {
		t.Fatalf("the best chain ends at %s, depth %d, through %q", best.last.hit.Document, best.depth, best.link.via)
	}
	if best.link.says == 0 || best.link.adds == 0 {
		t.Errorf("the sentence with the name says %v, the second document adds %v", best.link.says, best.link.adds)
	}
	if e.cover(best.held) != 1 || e.cover(hall.held) == 1 {
		t.Errorf("the chain covers %v, its first document %v", e.cover(best.held), e.cover(hall.held))
	}
	if architect.chain != best || hall.chain != best {
		t.Error("the documents of the best chain are not seen as part of it")
	}
	p := &Policy{evidence: *e}
	if got := p.justify(architect); got != `holds hall, born; led to by "Harrowmere" through "agnes tolliver"` {
		t.Errorf("justified by %q", got)
	}
}

func TestAChainNeverComesBack(t *testing.T) {
	e, _, _ := townHall()
	for _, c := range e.chains {
		var seen []*passage
		depth := 0
		for d := c; d != nil; d = d.back {
			if slices.Contains(seen, d.last) {
				t.Fatalf("%s is twice in a chain", d.last.hit.Document)
			}
			seen = append(seen, d.last)
			depth++
		}
		if depth != c.depth || depth > chainDepth {
			t.Errorf("a chain of %d passages says %d", depth, c.depth)
		}
	}
	if !slices.IsSortedFunc(e.chains, func(a, b *chain) int {
		if a.score < b.score {
			return 1
		}
		return -1
	}) {
		t.Error("the best chain is not first")
	}
}

func TestWhatACommonNameLinksIsNoChain(t *testing.T) {
	m := NewModel(nil)
	q := m.question("Who founded the school?")
	var passages []*passage
	for i := range sharedMost + 1 {
		id := string(rune('a' + i))
		passages = append(passages, shown(m, q, id, "", "It was founded in Great Harrowmere.", i+1))
	}
	if e := evident(q, passages...); e.chains[0].depth != 1 {
		t.Errorf("%q links everything", e.chains[0].link.via)
	}
	if e := evident(q, passages[:2]...); !slices.ContainsFunc(e.chains, func(c *chain) bool { return c.link.kind == linkShared && c.link.via == "great harrowmere" }) {
		t.Error("a rare name links nothing")
	}
}

func TestTheResidualIsWhatAChainLeavesOpen(t *testing.T) {
	e, hall, architect := townHall()
	p := &Policy{evidence: *e}
	if got := p.residual(hall.held); got != "born" {
		t.Errorf("Harrowmere leaves %q", got)
	}
	if got := p.residual(hall.held | architect.held); !strings.HasPrefix(got, "Where was") {
		t.Errorf("where nothing is open, %q is asked", got)
	}
}

func TestFeaturesAreAsManyAsTheirNames(t *testing.T) {
	e, _, _ := townHall()
	for _, row := range e.weigh() {
		if len(row) != len(Features) {
			t.Fatalf("%d values for %d features", len(row), len(Features))
		}
	}
}
