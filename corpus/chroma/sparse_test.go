package chroma

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/winnow-search/winnow/filter"
)

// The expected values are from Chroma's own function (chromadb 1.5.9).
func TestWordsAreEncodedAsChromaDoes(t *testing.T) {
	for text, want := range map[string]struct {
		indices []uint32
		value   float64
	}{
		"The quick brown foxes jumped over the lazy dog's fence; Zürich_2024 naïve Ελληνικά running": {
			[]uint32{226376294, 243905464, 389202216, 741580288, 756638508, 771291085, 1137627226, 1312749093, 1621867415, 1658749606, 1913189942}, 1.6434199007878614},
		"Who directed the film that starred Shirley Temple as Corliss Archer?": {
			[]uint32{60699804, 103666345, 705337195, 937179951, 1007388072, 1196531486, 1450188941}, 1.6608670008846949},
		"the of and": {[]uint32{}, 0},
	} {
		got := defaultBM25.encode(text)
		if !slices.Equal(got.Indices, want.indices) {
			t.Errorf("%q has words %v, want %v", text, got.Indices, want.indices)
		}
		for _, v := range got.Values {
			if math.Abs(v-want.value) > 1e-12 {
				t.Errorf("%q has a value %v, want %v", text, v, want.value)
			}
		}
	}
}

func TestMurmurIsTheReferences(t *testing.T) {
	for word, want := range map[string]int32{"fox": -1621867415, "hello": 613153351, "a": 1009084850, "abcd": 1139631978, "Ελλ": 1320737899, "abcdefgh1": -2135765820, "": 0} {
		if got := int32(murmur3([]byte(word))); got != want {
			t.Errorf("%q is %d, want %d", word, got, want)
		}
	}
}

func TestAFunctionIsReadFromItsSchema(t *testing.T) {
	var f Function
	if err := decode([]byte(`{"type":"known","name":"chroma_bm25","config":{"k":1.5,"b":0.5,"avg_doc_length":100,"token_max_length":3,"stopwords":["Fox"]}}`), &f); err != nil {
		t.Fatal(err)
	}
	e, ok := bm25Of(&f)
	if !ok || e.k != 1.5 || e.b != 0.5 || e.average != 100 || e.longest != 3 {
		t.Errorf("it is %+v", e)
	}
	if got := e.words("the fox ate four"); !slices.Equal(got, []string{"the", "ate"}) {
		t.Errorf("the words are %q", got)
	}
	if _, ok := bm25Of(&Function{Name: "splade"}); ok {
		t.Error("another function is taken for ours")
	}
}

func TestTextFiltersBecomeConditionsOnTheTextsKey(t *testing.T) {
	e, err := filter.ParseDocument(json.RawMessage(`{"$or": [{"$contains": "a"}, {"$and": [{"$regex": "b+"}, {"$not_contains": "c"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(onDocument(filter.JSON(e)))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"$or":[{"#document":{"$contains":"a"}},{"$and":[{"#document":{"$regex":"b+"}},{"#document":{"$not_contains":"c"}}]}]}`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
	if n := countPredicates(got); n != 3 {
		t.Errorf("it has %d conditions", n)
	}
}

func TestFusionIsWrittenOut(t *testing.T) {
	got, err := json.Marshal(fused([]knn{{Query: []float64{1}, Key: keyEmbedding, Limit: 9}}, []float64{0.5}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"$mul":[{"$val":-1},{"$sum":[{"$div":{"left":{"$val":0.5},"right":{"$sum":[{"$val":60},{"$knn":{"query":[1],"key":"#embedding","limit":9,"default":1000000,"return_rank":true}}]}}}]}]}`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}
