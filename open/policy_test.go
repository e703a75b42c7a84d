package open

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/policytest"
)

// clearPolicies takes what the machine says of policies out of the environment.
func clearPolicies(t *testing.T) {
	for _, name := range []string{"WINNOW_POLICY", "WINNOW_MODEL", "WINNOW_BASE_URL", "WINNOW_BUDGET", openAIKey, openAIURL, anthropicKey, anthropicURL} {
		t.Setenv(name, "")
	}
}

func load(t *testing.T, project, user string) *Config {
	t.Helper()
	clearPolicies(t)
	c, err := LoadConfig(settle(t, project, user), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAPolicyIsCompletedFromTheConfiguration(t *testing.T) {
	const local = "http://localhost:8000/v1"
	ctx1 := "policies: {ctx1: {policy: harmony, model: context-1, base_url: '" + local + "', budget: 20000}}"
	for _, test := range []struct {
		name          string
		project, user string
		environment   string // of WINNOW_MODEL
		given         PolicySettings
		// What comes of it.
		called, kind, model, profile string
		budget                       int
	}{
		{"nothing said", "", "", "", PolicySettings{}, "builtin", "builtin", "", "", 32768},
		{"a kind", "", "", "", PolicySettings{Policy: "bm25"}, "bm25", "bm25", "", "", 32768},
		{"a model is one for chat", "", "", "", PolicySettings{Model: "m"}, "chat", "chat", "m", agent.Winnow, 32768},
		{"a Context-1 model has its profile", "", "", "", PolicySettings{Model: "chroma/Context-1-20b"}, "chat", "chat", "chroma/Context-1-20b", agent.Context1, 32768},
		{"unless another is wanted", "", "", "", PolicySettings{Model: "context-1", Profile: agent.Winnow}, "chat", "chat", "context-1", agent.Winnow, 32768},
		{"harmony has it too", "", "", "", PolicySettings{Policy: "harmony", Model: "gpt-oss", BaseURL: local}, "harmony", "harmony", "gpt-oss", agent.Context1, 32768},
		{"a name", "", ctx1, "", PolicySettings{Policy: "ctx1"}, "ctx1", "harmony", "context-1", agent.Context1, 20000},
		{"a flag before the name", "", ctx1, "", PolicySettings{Policy: "ctx1", Model: "other", Budget: 9000}, "ctx1", "harmony", "other", agent.Context1, 9000},
		{"a name as the default", "", "policy: ctx1\n" + ctx1, "", PolicySettings{}, "ctx1", "harmony", "context-1", agent.Context1, 20000},
		{"the project's choice of the user's policies", "policy: ctx1", ctx1, "", PolicySettings{}, "ctx1", "harmony", "context-1", agent.Context1, 20000},
		{"the environment before a file's choice", "policy: ctx1", ctx1, "env", PolicySettings{}, "ctx1", "harmony", "env", agent.Context1, 20000},
		{"a name is complete in itself", "", ctx1, "env", PolicySettings{Policy: "ctx1"}, "ctx1", "harmony", "context-1", agent.Context1, 20000},
		{"a model of the environment", "", "", "env", PolicySettings{}, "chat", "chat", "env", agent.Winnow, 32768},
		{"which a policy in code does not mind", "", "", "env", PolicySettings{Policy: "query"}, "query", "query", "", "", 32768},
		{"settings for another policy are not mixed in", "", "policy: harmony\nmodel: m\nbase_url: " + local, "", PolicySettings{Policy: "chat", Model: "n"}, "chat", "chat", "n", agent.Winnow, 32768},
		{"a project adds names to the user's", "policies: {mine: {policy: bm25}}", ctx1, "", PolicySettings{Policy: "ctx1"}, "ctx1", "harmony", "context-1", agent.Context1, 20000},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := settle(t, test.project, test.user)
			clearPolicies(t)
			t.Setenv("WINNOW_MODEL", test.environment)
			c, err := LoadConfig(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.Searcher(test.given)
			if err != nil {
				t.Fatal(err)
			}
			o, err := s.Options(&Opened{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != test.called || s.Kind != test.kind || s.Model != test.model || o.Profile != test.profile || s.Budget().Tokens != test.budget {
				t.Errorf("it is %q of the kind %q with the model %q, profile %q and %d tokens", s.Name, s.Kind, s.Model, o.Profile, s.Budget().Tokens)
			}
			if o.Policy.Name() != test.called || o.Model != test.model {
				t.Errorf("it is recorded as %q with the model %q", o.Policy.Name(), o.Model)
			}
		})
	}
}

func TestPoliciesThatCantBeMadeAreRefusedWithAHint(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	write(t, empty, " \n")
	for _, test := range []struct {
		name  string
		user  string
		given PolicySettings
		says  string
		hint  string
	}{
		{"an unknown one", "", PolicySettings{Policy: "chatt"}, `no policy "chatt"`, "--policy chat"},
		{"an unknown one far from all", "policies: {mine: {}}", PolicySettings{Policy: "oracle"}, `no policy "oracle"`, "mine"},
		{"an unknown kind under a name", "policies: {mine: {policy: magic}}", PolicySettings{Policy: "mine"}, `no policy "magic"`, "one of"},
		{"a model for none", "", PolicySettings{Policy: "query", Model: "m"}, "query takes no model", "another policy"},
		{"a prompt for none", "policies: {mine: {policy: bm25, prompt: x}}", PolicySettings{Policy: "mine"}, "mine takes no prompt", "kind bm25"},
		{"no model", "", PolicySettings{Policy: "chat"}, "needs the name of a model", "--model"},
		{"no address", "", PolicySettings{Policy: "harmony", Model: "m"}, "needs the address", "--base-url"},
		{"a bad address", "", PolicySettings{Model: "m", BaseURL: "localhost"}, "not an http", "--base-url"},
		{"no key", "", PolicySettings{Policy: "anthropic", Model: "m"}, "needs a key", anthropicKey},
		{"a key that is not there", "", PolicySettings{Model: "m", KeyEnv: "WINNOW_TEST_NO_KEY"}, "holds no key", "export WINNOW_TEST_NO_KEY"},
		{"a profile", "", PolicySettings{Profile: "big"}, `no profile "big"`, "winnow"},
		{"a budget", "", PolicySettings{Budget: -1}, "negative", "--budget"},
		{"a timeout", "policies: {mine: {model: m, timeout: 90ms}}", PolicySettings{Policy: "mine"}, "too short", "90s"},
		{"a temperature", "policies: {mine: {model: m, temperature: 3}}", PolicySettings{Policy: "mine"}, "not between 0 and 2", "--temperature 1"},
		{"thinking", "", PolicySettings{Model: "m", Thinking: "much"}, "no measure", "low"},
		{"a prompt that is not there", "", PolicySettings{Model: "m", Prompt: empty + "x"}, "the prompt can't be used", "{question}"},
		{"a prompt that is empty", "", PolicySettings{Model: "m", Prompt: empty}, "it is empty", "{question}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, "", test.user).Searcher(test.given)
			if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("it says %v", err)
			}
			if e := err.(*winnow.Error); !strings.Contains(e.Hint, test.hint) {
				t.Errorf("it hints at %q", e.Hint)
			}
		})
	}
}

func TestEveryKeyHasItsVariable(t *testing.T) {
	dir := settle(t, "", "")
	clearPolicies(t)
	for name, value := range map[string]string{"WINNOW_MODEL": "m", "WINNOW_BUDGET": "9000", "WINNOW_TEMPERATURE": "0.5", "WINNOW_TIMEOUT": "90s", "WINNOW_PROFILE": "context-1"} {
		t.Setenv(name, value)
	}
	c, err := LoadConfig(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := c.complete(PolicySettings{})
	if err != nil || p.Model != "m" || p.Budget != 9000 || p.Temperature == nil || *p.Temperature != 0.5 || p.Timeout != 90*time.Second || p.Profile != agent.Context1 {
		t.Errorf("the settings are %+v (%v)", p, err)
	}
}

func TestWhatIsSecretIsNotShown(t *testing.T) {
	c := load(t, "", "policies: {gate: {model: m, headers: {X-Key: hush}, key_env: GATE_KEY, timeout: 90s, price: {prompt: 1, completion: 2}}}\nheaders: {X-Key: hush}\nbase_url: https://me:hush@gate.example/v1")
	text, err := json.Marshal(c.Effective)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"key":"policies.gate","value":{"headers":{"X-Key":"(hidden)"},"key_env":"GATE_KEY","model":"m","price":{"completion":2,"prompt":1},"timeout":"1m30s"},"origin":"` + c.Files[0] + `"}`
	if strings.Contains(string(text), "hush") || !strings.Contains(string(text), want) || !strings.Contains(string(text), `"https://(hidden)@gate.example/v1"`) {
		t.Errorf("it shows %s", text)
	}
}

func TestAPromptIsRelativeToTheFileThatNamesIt(t *testing.T) {
	dir := settle(t, "", "policies: {mine: {model: m, prompt: own.txt}}")
	clearPolicies(t)
	write(t, filepath.Join(os.Getenv("WINNOW_HOME"), "own.txt"), "Find {question}.")
	c, err := LoadConfig(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Searcher(PolicySettings{Policy: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := s.Options(&Opened{}); err != nil || o.Prompt != "Find {question}." {
		t.Errorf("the prompt is %q (%v)", o.Prompt, err)
	}
}

func TestEveryRunHasAPolicyOfItsOwn(t *testing.T) {
	s, err := load(t, "", "").Searcher(PolicySettings{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := s.Options(&Opened{})
	b, _ := s.Options(&Opened{})
	if a.Policy == b.Policy {
		t.Error("two runs share a policy")
	}
}

// asked keeps the queries that it gets.
type asked struct {
	winnow.Corpus
	queries []winnow.Query
}

func (a *asked) Search(_ context.Context, q winnow.Query) (*winnow.Results, error) {
	a.queries = append(a.queries, q)
	return &winnow.Results{}, nil
}

func TestBM25SearchesByWordsAlone(t *testing.T) {
	s, err := load(t, "", "").Searcher(PolicySettings{Policy: PolicyBM25})
	if err != nil {
		t.Fatal(err)
	}
	corpus := &asked{}
	o, err := s.Options(&Opened{Corpus: corpus})
	if err != nil {
		t.Fatal(err)
	}
	o.Question = "apples"
	end, err := agent.Do(t.Context(), o)
	if err != nil || end.Start().Policy != PolicyBM25 {
		t.Fatalf("it ran as %v (%v)", end, err)
	}
	if q := corpus.queries[0]; !slices.Equal(q.Legs, []winnow.Leg{winnow.LegBM25}) || q.Rerank != "off" {
		t.Errorf("it asks for %+v", q)
	}
}

func TestTheCheapCheckIsTheSameForAllServers(t *testing.T) {
	server := httptest.NewServer(&policytest.Server{Model: "m", Key: "k", Context: 16384})
	defer server.Close()
	c := load(t, "", "")
	for _, kind := range []string{PolicyChat, PolicyHarmony} {
		for _, test := range []struct {
			name, model, key, url string
			budget                int
			want                  string
		}{
			{"all well", "m", "k", server.URL, 16384, ""},
			{"no server", "m", "k", "http://127.0.0.1:1", 16384, "no server answers at http://127.0.0.1:1/v1"},
			{"a wrong key", "m", "hush", server.URL, 16384, "does not accept the key"},
			{"no key", "m", "", server.URL, 16384, "wants a key"},
			{"an unknown model", "n", "k", server.URL, 16384, `has no model "n"`},
			{"a small context", "m", "k", server.URL, 0, "is 16384 tokens, and the budget is 32768"},
			{"the wrong path", "m", "k", server.URL + "/api", 16384, ""}, // a server without a list is let pass
		} {
			t.Setenv(openAIKey, test.key)
			s, err := c.Searcher(PolicySettings{Policy: kind, Model: test.model, BaseURL: test.url, Budget: test.budget, Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			err = s.Check(t.Context())
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) || err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("%s, %s: %v", kind, test.name, err)
			}
		}
	}
	s, err := c.Searcher(PolicySettings{})
	if err != nil || s.Check(t.Context()) != nil || s.Asks() {
		t.Errorf("a policy in code has a server to check (%v)", err)
	}
}

func TestAServerThatIsSilentIsNotWaitedFor(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	for _, kind := range []string{PolicyChat, PolicyHarmony, PolicyAnthropic} {
		c := load(t, "", "")
		t.Setenv(anthropicKey, "k")
		s, err := c.Searcher(PolicySettings{Policy: kind, Model: "m", BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		s.patience = time.Millisecond
		if err := s.Check(t.Context()); winnow.CodeOf(err) != winnow.Unavailable || !strings.Contains(err.Error(), "is silent") {
			t.Errorf("%s: %v", kind, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Check(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, when nobody waits: %v", kind, err)
		}
	}
}
