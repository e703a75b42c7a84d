package open

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/embed/minilm"
	"github.com/winnow-search/winnow/embed/static"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/rerank"
)

func TestBuiltinRankersFitTheFeatures(t *testing.T) {
	for _, space := range []string{"", static.Name, minilm.Name} {
		m, err := rerank.Builtin(space, index.Features)
		if err != nil || m == nil {
			t.Errorf("the ranker of %q: %v, %v", space, m, err)
		}
	}
	if m, err := rerank.Builtin("somebody-elses/w2000", index.Features); m != nil || err != nil {
		t.Errorf("a space without a ranker has %v, %v", m, err)
	}
}

func models(t *testing.T, s Settings) (*Models, error) {
	t.Helper()
	return NewHome(t.TempDir()).Models(&Config{Settings: s})
}

func TestModelsFollowTheSettings(t *testing.T) {
	for _, c := range []struct {
		s             Settings
		tiers         []string
		ranked, again bool
	}{
		{Settings{}, []string{minilm.Name, static.Name}, true, false},
		{Settings{Embedder: "static"}, []string{static.Name}, true, false},
		{Settings{Embedder: "off"}, nil, true, false},
		{Settings{Rerank: "off"}, []string{minilm.Name, static.Name}, false, false},
		{Settings{Rerank: "http://localhost:1/v1/rerank"}, []string{minilm.Name, static.Name}, true, true},
		{Settings{Embedder: "http://localhost:1/v1", EmbedderModel: "bge"}, []string{"bge/w2000", static.Name}, true, false},
	} {
		m, err := models(t, c.s)
		if err != nil {
			t.Fatal(err)
		}
		var tiers []string
		for _, tier := range m.options.Tiers {
			tiers = append(tiers, tier.Embedder.Name())
		}
		if strings.Join(tiers, " ") != strings.Join(c.tiers, " ") || (m.options.Ranker != nil) != c.ranked || (m.options.Reranker != nil) != c.again {
			t.Errorf("%+v gives tiers %q, ranker %v, reranker %v", c.s, tiers, m.options.Ranker != nil, m.options.Reranker != nil)
		}
	}
}

func TestModelsRefuseWhatTheyCantBe(t *testing.T) {
	t.Setenv("EMPTY_KEY", "")
	for _, s := range []Settings{
		{Embedder: "bert"}, {Rerank: "magic"}, {Embedder: "http://localhost:1/v1"},
		{Embedder: "http://localhost:1/v1", EmbedderModel: "m", EmbedderKeyEnv: "EMPTY_KEY"},
		{Boost: []Boost{{Where: map[string]any{"$bad": 1}, Factor: 2}}},
	} {
		if _, err := models(t, s); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%+v gives %v", s, err)
		}
	}
}

func TestAKeyIsInNoError(t *testing.T) {
	t.Setenv("SECRET_KEY", "sk-very-secret")
	m, err := models(t, Settings{Embedder: "http://127.0.0.1:1/v1", EmbedderModel: "m", EmbedderKeyEnv: "SECRET_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := m.best.Embed(ctx, []string{"x"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a server that is not there gives %v", err)
	}
}

func TestProjectsCantNameEndpoints(t *testing.T) {
	for _, file := range []string{"embedder: http://evil.example/v1", "rerank: https://evil.example/rerank", "embedder_key_env: HOME"} {
		dir := settle(t, file, "")
		if _, err := LoadConfig(dir, nil); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%s in a project's file gives %v", file, err)
		}
	}
}
