package page

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
	"github.com/winnow-search/winnow/eval/folder"
)

// hostile is what a corpus, a model and a file name might hold.
const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)> "'&` + "\u2028 {{.}} <!--"

// table is a comparison of a plain policy and one with trajectories and costs, in
// which every text is hostile.
func table(t *testing.T, questions int) *compare.Table {
	t.Helper()
	var tasks []eval.Task
	for i := range questions {
		tasks = append(tasks, eval.Task{ID: fmt.Sprint(hostile, i), Question: fmt.Sprint("why ", hostile, i), Answers: []string{hostile}, Gold: []string{"g" + hostile, "h"}, Hops: 1 + i%3, Type: hostile})
	}
	var runs []*folder.Run
	for n, name := range []string{"plain " + hostile, "agent " + hostile} {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(n))
		w, err := folder.Create(dir, folder.Manifest{Deviations: []string{hostile}, Setup: folder.Setup{Dataset: hostile, Policy: name, Model: []string{"", hostile}[n], Budget: 32768}}, tasks)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tasks {
			o := eval.Outcome{LatencyMS: float64(1 + 10*n), RankingOnly: n == 0, Ranking: []eval.Ranked{{Document: "g" + hostile, Title: hostile, Selected: n == 1, Passages: []eval.Passage{{Text: hostile}}}}}
			if n == 1 {
				cost := 0.01
				o.CostUSD, o.Turns, o.Calls, o.Views, o.Tokens = &cost, 2, 2, []int{900, 4000 + 10*i}, 5000
				o.Shown = []eval.Ref{{Document: "h", Chunk: "h_0"}}
				trajectory := &winnow.Trajectory{Events: []winnow.Event{
					{Kind: winnow.EventStart, Start: &winnow.Start{Version: 1, Question: hostile}},
					{Kind: winnow.EventAction, Turn: 1, View: 900, Action: &winnow.Action{Text: hostile, Calls: []winnow.Call{{Tool: "search_corpus", Arguments: hostile}}}},
					{Kind: winnow.EventObservation, Turn: 1, Observation: &winnow.Observation{Results: []winnow.Result{{Tool: "search_corpus", Query: hostile, Parts: []winnow.Part{{Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: "h_0", Document: "h", Title: hostile, Text: hostile}}}}}}}},
					{Kind: winnow.EventPrune, Turn: 2, Prune: &winnow.Prune{Chunks: []string{"h_0"}}},
					{Kind: winnow.EventEnd, Turn: 2, End: &winnow.End{}},
				}}
				if err := w.Record(&tasks[i], trajectory); err != nil {
					t.Fatal(err)
				}
			}
			if i == 0 {
				o.Error = hostile
			}
			r := eval.NewResult(&tasks[i], o)
			if err := w.Keep(&r); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		r, err := folder.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	out, err := compare.Of(runs, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, c *compare.Table) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestNoTextCanBecomeMarkup(t *testing.T) {
	page := write(t, table(t, 6))
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("the page has %d scripts, not its own and its data", n)
	}
	for _, forbidden := range []string{"<img", "onerror=alert(2)>", "<!--"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page holds %s", forbidden)
		}
	}
	data := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(page)
	var got drillData
	if err := json.Unmarshal([]byte(data[1]), &got); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.Questions[0].Question, hostile) {
		t.Errorf("the text was changed on the way: %q", got.Questions[0].Question)
	}
}

func TestThePageNeedsNothingElseAndRunsNothingElse(t *testing.T) {
	page := write(t, table(t, 6))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.Contains(policy[1], "default-src &#39;none&#39;") && !strings.Contains(policy[1], "default-src 'none'") {
		t.Fatalf("the policy is %v", policy)
	}
	unescaped := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1])
	for kind, text := range map[string]string{
		"script-src": between(t, page, "<script>", "</script>"),
		"style-src":  between(t, page, "<style>", "</style>"),
	} {
		if !strings.Contains(unescaped, kind+" "+hash(text)) {
			t.Errorf("%s does not name what stands on the page, which would then do nothing", kind)
		}
	}
	for _, outside := range []string{" src=", "url(", "@import", " href=", " style="} {
		if strings.Contains(page, outside) && !strings.Contains(hostile, outside) {
			t.Errorf("the page holds %q", outside)
		}
	}
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	inside, _, end := strings.Cut(rest, to)
	if !ok || !end {
		t.Fatalf("there is no %s", from)
	}
	return inside
}

func TestEveryChartIsThereAndWellFormed(t *testing.T) {
	c := table(t, 12)
	var titles []string
	for _, chart := range charts(c) {
		titles = append(titles, chart.Title)
		d := xml.NewDecoder(strings.NewReader(string(chart.SVG)))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", chart.Title, err, chart.SVG)
			}
			if e, ok := token.(xml.StartElement); ok {
				for _, a := range e.Attr {
					if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
						t.Errorf("%s: %s has %s=%s", chart.Title, e.Name.Local, a.Name.Local, a.Value)
					}
				}
			}
		}
	}
	if want := "Quality against latency, Quality against cost, Where gold was lost, Recall by hops, Budget use over turns"; strings.Join(titles, ", ") != want {
		t.Errorf("the charts are %v", titles)
	}
}

func TestAPageOfOneQuestionIsWritten(t *testing.T) {
	c := table(t, 1)
	if page := write(t, c); strings.Contains(page, "NaN") || !strings.Contains(page, "How the runs were made") {
		t.Error("a page of one question is broken")
	}
	c.Runs = c.Runs[:1]
	if page := write(t, c); !strings.Contains(page, "One run alone") {
		t.Error("a page of one run does not say that it is one")
	}
}

func TestTheVerdictDoesNotSayMoreThanTheNumbers(t *testing.T) {
	c := table(t, 6)
	c.Runs[0].Name, c.Runs[1].Name = "left", "right"
	v := judgement(c)
	if !strings.Contains(v.Head, "can’t be told apart") {
		t.Errorf("two runs that found the same: %+v", v)
	}
	more := table(t, 40) // of which the second finds nothing
	more.Runs[0].Name, more.Runs[1].Name = "left", "right"
	for i := range more.Runs[1].Results {
		more.Runs[1].Results[i].Scores[eval.Recall5] = 0
	}
	more.Runs[1].Metrics[eval.Recall5] = 0
	if v := judgement(more); v.Head != "left finds most" || !strings.Contains(v.Text, "beats right") {
		t.Errorf("one that found half and one that found nothing: %+v", v)
	}
}

func TestAxesHaveRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		scale scale
		want  string
	}{
		{scale{low: 0, high: 100}, "[0 20 40 60 80 100]"},
		{scale{low: 48.2, high: 100}, "[60 80 100]"},
		{scale{low: 0.3, high: 250, log: true}, "[1 10 100]"},
		{scale{low: 8, high: 70, log: true}, "[10 20 50]"},
	} {
		if got := fmt.Sprint(c.scale.ticks(5)); got != c.want {
			t.Errorf("from %g to %g: %s", c.scale.low, c.scale.high, got)
		}
	}
	if got := thousands("-1234567.8"); got != "−1,234,567.8" {
		t.Errorf("a large number is %s", got)
	}
}
