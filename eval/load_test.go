package eval

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func load(t *testing.T, path string) *Dataset {
	t.Helper()
	d, err := Load(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func task(t *testing.T, d *Dataset, id string) Task {
	t.Helper()
	i := slices.IndexFunc(d.Tasks, func(q Task) bool { return q.ID == id })
	if i < 0 {
		t.Fatalf("no task %q", id)
	}
	return d.Tasks[i]
}

func documents(t *testing.T, d *Dataset) map[string]Document {
	t.Helper()
	all := map[string]Document{}
	for doc, err := range d.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		all[doc.ID] = doc
	}
	return all
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

// goldTitles makes gold readable where ids are made from content.
func goldTitles(docs map[string]Document, q Task) []string {
	var titles []string
	for _, id := range q.Gold {
		titles = append(titles, docs[id].Title)
	}
	return titles
}

func TestOurFolder(t *testing.T) {
	d := load(t, "folder")
	equal(t, "name", d.Name, "folder")
	equal(t, "format", d.Format, FormatFolder)
	equal(t, "corpus file", d.CorpusFile, filepath.Join("testdata", "folder", "corpus.jsonl"))

	q1 := task(t, d, "q1")
	equal(t, "gold", q1.Gold, []string{"skerry", "venn"})
	equal(t, "hops and type", []any{q1.Hops, q1.Type}, []any{2, "bridge"})
	equal(t, "documents that state the answer", q1.AnswerIDs, []string{"venn"})
	equal(t, "case", q1.Case, AnswerStated)
	equal(t, "a yes is derived", task(t, d, "q2").Case, AnswerDerived)

	q3 := task(t, d, "q3")
	equal(t, "nothing to find", []any{q3.WithoutGold(), q3.Unjudged, q3.Case}, []any{true, false, AnswerCase("")})

	q4 := task(t, d, "q4")
	equal(t, "gold from grades above 0", q4.Gold, []string{"ansel", "venn"})
	equal(t, "grades", q4.Grades, map[string]int{"ansel": 3, "venn": 1})

	judged := task(t, d, "q9")
	equal(t, "judged, and nothing relevant", []any{judged.WithoutGold(), judged.Unjudged}, []any{true, false})

	q5 := task(t, d, "q5")
	equal(t, "facts", q5.Facts, []Fact{{"skerry_0", "almanac_4"}})
	equal(t, "flagged case", q5.Case, AnswerFlagged)
	equal(t, "self", task(t, d, "q6").SelfID, "tamsin")

	last := d.Tasks[len(d.Tasks)-1]
	equal(t, "a line needs only the question", []any{last.Question, last.Unjudged, last.WithoutGold()}, []any{"What would a keeper eat?", true, false})
	if last.ID == "" {
		t.Error("a question without id got none")
	}

	docs := documents(t, d)
	equal(t, "documents", len(docs), 4)
	equal(t, "metadata", docs["venn"].Metadata, winnow.Metadata{"kind": "person"})
}

func TestGoldOutsideTheCorpusIsReportedAndNotAsked(t *testing.T) {
	d := load(t, "folder")
	if slices.ContainsFunc(d.Tasks, func(q Task) bool { return q.ID == "q8" }) {
		t.Error("a question with gold outside the corpus is among the tasks")
	}
	if len(d.Problems) != 1 {
		t.Fatalf("problems: %v", d.Problems)
	}
	p := d.Problems[0]
	equal(t, "kind, question, line", []any{p.Kind, p.Question, p.Line}, []any{GoldOutside, "q8", 10})
	if want := `questions.jsonl:10: gold of question "q8" is not in the corpus: mull`; !strings.HasSuffix(p.Error(), want) {
		t.Errorf("message %q, want …%q", p.Error(), want)
	}
}

func TestGoldThatItsOwnSearchExcludesIsReported(t *testing.T) {
	dir := write(t, map[string]string{
		"corpus.jsonl":    `{"id": "a", "text": "x"}`,
		"questions.jsonl": `{"id": "1", "question": "?", "supporting_ids": ["a"], "self_id": "a"}` + "\n" + `{"id": "2", "question": "?", "supporting_ids": ["a"]}`,
	})
	d, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "tasks and problem", []any{len(d.Tasks), d.Problems[0].Kind, d.Problems[0].Question}, []any{1, GoldOutside, "1"})
}

func TestBEIRFolderIsItsTestSplit(t *testing.T) {
	d := load(t, "beir")
	equal(t, "name and format", []any{d.Name, d.Format}, []any{"beir", FormatBEIR})
	equal(t, "tasks", len(d.Tasks), 2)
	s1 := task(t, d, "s1")
	equal(t, "question", s1.Question, "edible seaweed")
	equal(t, "gold", s1.Gold, []string{"d1", "d2"})
	equal(t, "grades", s1.Grades, map[string]int{"d1": 1, "d2": 2})
	equal(t, "documents", slices.Sorted(maps.Keys(documents(t, d))), []string{"d1", "d2", "d3"})
	equal(t, "problems", len(d.Problems), 0)
}

func TestBEIRSplitByFile(t *testing.T) {
	d := load(t, "beir/qrels/dev.tsv")
	equal(t, "name", d.Name, "beir/dev")
	equal(t, "tasks", []any{len(d.Tasks), d.Tasks[0].ID}, []any{1, "s3"})
	equal(t, "judged without text", []any{d.Problems[0].Kind, d.Problems[0].Question}, []any{Unusable, "s9"})
}

func TestHotpotQA(t *testing.T) {
	d := load(t, "hotpotqa.json")
	equal(t, "format", d.Format, FormatHotpotQA)
	docs := documents(t, d)
	equal(t, "the union holds each paragraph once", len(docs), 4)

	h1 := task(t, d, "h1")
	equal(t, "gold", goldTitles(docs, h1), []string{"Skerry Light", "Orla Venn"})
	equal(t, "hops and type", []any{h1.Hops, h1.Type}, []any{2, "bridge"})
	equal(t, "text", docs[h1.Gold[0]].Text, "Skerry Light is a lighthouse. Orla Venn designed it.")
	equal(t, "answer", []any{h1.Case, h1.AnswerIDs}, []any{AnswerStated, []string{h1.Gold[1]}})

	h2 := task(t, d, "h2")
	equal(t, "the same paragraph has the same id", h2.Gold[0], h1.Gold[0])
	equal(t, "no is derived", h2.Case, AnswerDerived)

	equal(t, "a title outside the context", []any{d.Problems[0].Kind, d.Problems[0].Question, d.Problems[0].Line}, []any{GoldOutside, "h3", 7})
}

func Test2Wiki(t *testing.T) {
	d := load(t, "2wiki.json")
	equal(t, "format", d.Format, Format2Wiki)
	docs := documents(t, d)
	w1 := task(t, d, "w1")
	equal(t, "gold", goldTitles(docs, w1), []string{"Skerry Light", "Orla Venn"})
	equal(t, "sentences are parted by a space", docs[w1.Gold[0]].Text, "Skerry Light is a lighthouse. Orla Venn designed it.")
	equal(t, "a paragraph has one id in all files", w1.Gold[0], task(t, load(t, "hotpotqa.json"), "h1").Gold[0])
}

func TestMuSiQue(t *testing.T) {
	d := load(t, "musique.jsonl")
	equal(t, "format", d.Format, FormatMuSiQue)
	docs := documents(t, d)
	equal(t, "documents", len(docs), 3)
	q := task(t, d, "2hop__1_2")
	equal(t, "gold", goldTitles(docs, q), []string{"Skerry Light", "Orla Venn"})
	equal(t, "hops", q.Hops, 2)
	equal(t, "answers", q.Answers, []string{"Port Ansel", "Ansel"})
	equal(t, "the last step's paragraph holds the answer", []any{q.Case, q.AnswerIDs}, []any{AnswerFlagged, q.Gold[1:]})
	equal(t, "a test question is unjudged", task(t, d, "test__1").Unjudged, true)
	equal(t, "the unanswerable twin is left out", []any{len(d.Tasks), d.Problems[0].Kind, d.Problems[0].Line}, []any{2, Unusable, 2})
}

func TestMultiHopRAG(t *testing.T) {
	for _, path := range []string{"multihoprag", "multihoprag/MultiHopRAG.json"} {
		d := load(t, path)
		equal(t, "format", d.Format, FormatMultiHopRAG)
		docs := documents(t, d)
		equal(t, "an article twice is one document", len(docs), 2)
		q := task(t, d, "mhr-1")
		equal(t, "gold", q.Gold, []string{"https://echo.example/relit", "https://weekly.example/mayor"})
		equal(t, "type, hops, case", []any{q.Type, q.Hops, q.Case}, []any{"inference_query", 2, AnswerStated})
		equal(t, "metadata", docs[q.Gold[1]].Metadata, winnow.Metadata{
			"source": "Coast Weekly", "published_at": "2021-03-09", "category": "news", "url": "https://weekly.example/mayor",
		})
		null := task(t, d, "mhr-2")
		equal(t, "a null query has nothing to find", null.WithoutGold(), true)
	}
}

func TestTREC(t *testing.T) {
	d := load(t, "trec")
	equal(t, "format", d.Format, FormatTREC)
	equal(t, "tasks", len(d.Tasks), 2)
	q := task(t, d, "301")
	equal(t, "title", q.Question, "edible seaweed")
	equal(t, "grades above 0", q.Grades, map[string]int{"d1": 1, "d2": 2})
	equal(t, "title over two lines", task(t, d, "302").Question, "animals on rocks")
	equal(t, "judged without topic", d.Problems[0].Question, "399")
	if d.Documents() != nil {
		t.Error("a folder without corpus has documents")
	}
}

func TestTRECTopicsByTab(t *testing.T) {
	dir := write(t, map[string]string{"topics.tsv": "1\twhere is kelp\n", "qrels.tsv": "1\t0\ta doc\t1\n1\t0\ta doc\t1\n"})
	d, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "question", d.Tasks[0].Question, "where is kelp")
	equal(t, "an id with a space", d.Tasks[0].Gold, []string{"a doc"})
}

func TestTaskFiles(t *testing.T) {
	d := load(t, "tasks")
	equal(t, "format", d.Format, FormatTasks)
	equal(t, "tasks", len(d.Tasks), 1)
	q := task(t, d, "lights")
	equal(t, "the question is that of all levels that passed", q.Question,
		"A light on a rock, drawn by an engineer.\nWho drew it?\n\nThat engineer came from a town.\nWhich town?")
	equal(t, "answer", q.Answers, []string{"Port Ansel"})
	equal(t, "gold", q.Gold, []string{"https://a.example/skerry", "https://a.example/venn", "https://a.example/ansel"})
	equal(t, "facts", q.Facts, []Fact{{"https://a.example/skerry"}, {"https://a.example/venn"}, {"https://a.example/ansel", "https://a.example/atlas"}})
	equal(t, "what holds the last answer", q.AnswerIDs, []string{"https://a.example/ansel", "https://a.example/atlas"})

	docs := documents(t, d)
	equal(t, "distractors but for those with an answer", slices.Sorted(maps.Keys(docs)), []string{
		"https://a.example/ansel", "https://a.example/skerry", "https://a.example/tamsin", "https://a.example/venn",
	})
	equal(t, "parts of a page are joined", docs["https://a.example/skerry"].Text, "Skerry Light is a lighthouse. Orla Venn drew it.\n\nIt was first lit in 1871.")

	var left []string
	for _, p := range d.Problems {
		left = append(left, p.Question+": "+p.Message)
	}
	equal(t, "left out", left, []string{"errors: the file has no tasks", "unverified: the task did not pass verification: no document holds the answer"})
}

func TestDocumentsCanBeReadTwiceAndStoppedEarly(t *testing.T) {
	for _, path := range []string{"folder", "hotpotqa.json", "musique.jsonl", "multihoprag", "tasks"} {
		d := load(t, path)
		for range d.Documents() {
			break
		}
		equal(t, path, documents(t, d), documents(t, d))
	}
}

func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFaultsStopALoadAndNameTheirPlace(t *testing.T) {
	const doc = `{"id": "a", "text": "x"}`
	const q = `{"id": "1", "question": "?", "supporting_ids": ["a"]}`
	cases := []struct {
		name  string
		files map[string]string
		path  string
		kind  Kind
		want  string // of the message, after the folder
	}{
		{"empty questions", map[string]string{"corpus.jsonl": doc, "questions.jsonl": "\n \n"}, "", Empty, ": there is no question in it"},
		{"empty file", map[string]string{"q.jsonl": ""}, "q.jsonl", Empty, "/q.jsonl: there is no question in it"},
		{"empty corpus", map[string]string{"corpus.jsonl": "", "questions.jsonl": q}, "", Empty, "/corpus.jsonl: the corpus has no documents"},
		{"nothing left", map[string]string{"corpus.jsonl": doc, "questions.jsonl": `{"id": "1", "question": "?", "supporting_ids": ["b"]}`}, "", Empty, ": none of its questions can be scored"},
		{"duplicate question", map[string]string{"corpus.jsonl": doc, "questions.jsonl": q + "\n\n" + q}, "", Duplicate, `/questions.jsonl:3: the question id "1" is used twice, first at DIR/questions.jsonl:1`},
		{"duplicate document", map[string]string{"corpus.jsonl": doc + "\n" + doc, "questions.jsonl": q}, "", Duplicate, `/corpus.jsonl:2: the document id "a" is used twice, first on line 1`},
		{"broken line", map[string]string{"questions.jsonl": q + "\n{\"id\": "}, "", Malformed, "/questions.jsonl:2: this is not valid JSON: unexpected end of JSON input"},
		{"wrong type", map[string]string{"questions.jsonl": q + "\n" + `{"id": "2", "question": "?", "hops": "two"}`}, "", Malformed, `/questions.jsonl:2: the field "hops" can't be a string`},
		{"not an object", map[string]string{"questions.jsonl": "7"}, "", Malformed, "/questions.jsonl:1: the record is a JSON number, not an object"},
		{"no question", map[string]string{"questions.jsonl": `{"id": "1", "question": " "}`}, "", Malformed, "/questions.jsonl:1: the question is empty"},
		{"document without id", map[string]string{"corpus.jsonl": `{"text": "x"}`, "questions.jsonl": q}, "", Malformed, "/corpus.jsonl:1: the document has no id"},
		{"array cut short", map[string]string{"h.json": "[{\"_id\": \"1\", \"question\": \"?\", \"context\": []},\n{\"_id\""}, "h.json", Malformed, "/h.json:1: record 2 of the array is not valid JSON: unexpected EOF"},
		{"array without end", map[string]string{"h.json": "[{\"_id\": \"1\", \"question\": \"?\", \"context\": []}\n"}, "h.json", Malformed, "/h.json:1: the array does not end"},
		{"paragraph of another shape", map[string]string{"h.json": "[\n{\"_id\": \"1\", \"question\": \"?\",\n \"context\": [[\"title\"]]}]"}, "h.json", Malformed, "/h.json:2: a paragraph is [title, [sentence, …]]"},
		{"duplicate in an array", map[string]string{"h.json": "[{\"_id\": \"1\", \"question\": \"?\", \"context\": []},\n\n{\"_id\": \"1\", \"question\": \"?\", \"context\": []}]"}, "h.json", Duplicate, `/h.json:3: the question id "1" is used twice, first at DIR/h.json:1`},
		{"no id", map[string]string{"m.jsonl": `{"paragraphs": [], "question": "?"}`}, "m.jsonl", Malformed, "/m.jsonl:1: the question has no id"},
		{"two articles of one URL", map[string]string{"MultiHopRAG.json": `[{"query": "?", "evidence_list": []}]`, "corpus.json": "[{\"url\": \"u\", \"body\": \"1\"},\n{\"url\": \"u\", \"body\": \"2\"}]"}, "", Duplicate, `/corpus.json:2: two different articles have the URL "u"`},
		{"article without name", map[string]string{"MultiHopRAG.json": `[{"query": "?", "evidence_list": []}]`, "corpus.json": `[{"body": "1"}]`}, "", Malformed, "/corpus.json:1: the article has neither URL nor title"},
		{"grade", map[string]string{"topics": "1\tq", "qrels": "1 0 a 1\n1 0 b high"}, "", Malformed, `/qrels:2: the grade "high" is not a whole number`},
		{"columns", map[string]string{"topics": "1\tq", "qrels": "1 a"}, "", Malformed, "/qrels:1: a judgement has 3 or 4 columns, this line has 2"},
		{"two judgements", map[string]string{"topics": "1\tq", "qrels": "1 0 a 1\n1 0 a 2"}, "", Duplicate, `/qrels:2: document "a" is judged twice for question "1", as 1 and as 2`},
		{"topic without end", map[string]string{"topics": "\n<top>\n<num> 1", "qrels": "1 0 a 1"}, "", Malformed, "/topics:2: the topic does not end"},
		{"topic of no shape", map[string]string{"topics": "what", "qrels": "1 0 a 1"}, "", Malformed, "/topics:1: a topic is a <top> element or a line of an id, a tab and a question"},
		{"several topics", map[string]string{"topics.1": "1\tq", "topics.2": "1\tq", "qrels": "1 0 a 1"}, "", UnknownFormat, ": there are several topics or qrels files in one folder"},
		{"several splits", map[string]string{"queries.jsonl": `{"_id": "1", "text": "?"}`, "qrels/a.tsv": "", "qrels/b.tsv": ""}, "", UnknownFormat, "/qrels: there is no test.tsv and no single split to choose"},
		{"task file", map[string]string{"t.json": "{\"tasks\": [\n{\"level\": \"x\"}]}"}, "t.json", Malformed, `/t.json:2: the field "tasks.level" can't be a string`},
		{"unknown folder", map[string]string{"notes.txt": "x"}, "", UnknownFormat, ": this is no data set that Winnow can read"},
		{"unknown array", map[string]string{"x.json": `[{"a": 1}]`}, "x.json", UnknownFormat, "/x.json: this is no data set that Winnow can read"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.files)
			_, err := Load(filepath.Join(dir, c.path))
			var p *Problem
			if !errors.As(err, &p) {
				t.Fatalf("got %v, want a Problem", err)
			}
			if p.Kind != c.kind {
				t.Errorf("kind %q, want %q", p.Kind, c.kind)
			}
			if want := dir + strings.ReplaceAll(c.want, "DIR", dir); filepath.ToSlash(p.Error()) != filepath.ToSlash(want) {
				t.Errorf("got  %s\nwant %s", p, want)
			}
			if winnow.CodeOf(err) != winnow.BadInput {
				t.Errorf("code %q, want bad_input", winnow.CodeOf(err))
			}
		})
	}
}

func TestMissingPathIsNotFound(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "nowhere"))
	if winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestByteOrderMarkIsSkipped(t *testing.T) {
	for name, text := range map[string]string{
		"q.jsonl": `{"id": "1", "question": "?"}`,
		"h.json":  `[{"_id": "1", "question": "?", "context": [["t", ["s"]]]}]`,
		"t.json":  `{"tasks": [{"question": "?", "passed_verification": true, "items_and_contents": {"a": "x"}}]}`,
	} {
		dir := write(t, map[string]string{name: byteOrderMark + text})
		if _, err := Load(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestResolveAgainstACollection(t *testing.T) {
	dir := write(t, map[string]string{"q.jsonl": `{"id": "1", "question": "?", "answers": ["kelp"], "supporting_ids": ["a", "b"]}` + "\n" + `{"id": "2", "question": "?", "supporting_ids": ["c"]}`})
	d, err := Load(filepath.Join(dir, "q.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "nothing read, nothing known", d.Tasks[0].Case, AnswerCase(""))
	err = d.Resolve(func(yield func(Document, error) bool) {
		_ = yield(Document{ID: "a", Text: "Kelp!"}, nil) && yield(Document{ID: "b", Text: "dulse"}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "case", []any{d.Tasks[0].Case, d.Tasks[0].AnswerIDs}, []any{AnswerStated, []string{"a"}})
	equal(t, "outside", []any{len(d.Tasks), d.Problems[0].Question}, []any{1, "2"})
	err = d.Resolve(func(yield func(Document, error) bool) {
		_ = yield(Document{ID: "a", Text: "alga"}, nil) && yield(Document{ID: "b", Text: "kelp"}, nil)
	})
	equal(t, "another corpus, another place", []any{err, d.Tasks[0].Case, d.Tasks[0].AnswerIDs}, []any{nil, AnswerStated, []string{"b"}})
	broken := errors.New("broken")
	if err := d.Resolve(func(yield func(Document, error) bool) { yield(Document{}, broken) }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestFactsNameChunksOfDocumentsInTheCorpus(t *testing.T) {
	dir := write(t, map[string]string{
		"corpus.jsonl": `{"id": "a", "text": "kelp"}` + "\n" + `{"id": "b", "text": "kelp"}` + "\n" + `{"id": "b_1", "text": "dulse"}`,
		"questions.jsonl": `{"id": "chunk", "question": "?", "answers": ["kelp"], "facts": [["a_7"]]}` + "\n" +
			`{"id": "document", "question": "?", "answers": ["kelp"], "facts": [["b_1"]]}` + "\n" +
			`{"id": "lost", "question": "?", "facts": [["a_7"], ["x_1", "y"], ["a_b"]]}` + "\n" +
			`{"id": "many", "question": "?", "supporting_ids": ["1", "2", "3", "4", "a"]}`,
	})
	d, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "tasks", len(d.Tasks), 2)
	equal(t, "the chunk's document states it", task(t, d, "chunk").AnswerIDs, []string{"a"})
	// Document b states the answer, but b_1 is a document of its own, and it is
	// the one that is gold.
	equal(t, "a document wins over a chunk", task(t, d, "document").Case, AnswerDerived)
	equal(t, "lost", d.Problems[0].Message, `gold of question "lost" is not in the corpus: x_1 or y, a_b`)
	equal(t, "many", d.Problems[1].Message, `gold of question "many" is not in the corpus: 1, 2, 3, …`)
}

func TestTasksSurviveJSON(t *testing.T) {
	d := load(t, "folder")
	var lines []string
	for _, q := range d.Tasks {
		data, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(data))
	}
	again, err := Load(filepath.Join(write(t, map[string]string{"q.jsonl": strings.Join(lines, "\n")}), "q.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range again.Tasks {
		want := d.Tasks[i]
		q.at, want.at = position{}, position{}
		q.Case, want.Case = "", ""
		equal(t, q.ID, q, want)
	}
}
