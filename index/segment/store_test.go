package segment_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// randomRecords has empty records, also at the borders of blocks, small ones and
// ones larger than a block.
func randomRecords(r *rand.Rand, n int) [][]byte {
	records := make([][]byte, n)
	for i := range records {
		switch r.IntN(10) {
		case 0:
		case 1:
			records[i] = randomBytes(r, r.IntN(40_000))
		default:
			records[i] = bytes.Repeat([]byte{byte(i)}, r.IntN(3000))
		}
	}
	return records
}

func buildStore(t testing.TB, records [][]byte) segment.Store {
	f := build(t, func(w *segment.Writer) {
		s := w.Store("s")
		for _, r := range records {
			s.Add(r)
		}
		s.Close()
	})
	return f.Store("s")
}

func TestRecordsComeBackAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, n := range []int{0, 1, 2, 300} {
		want := randomRecords(r, n)
		s := buildStore(t, want)
		if s.Len() != n {
			t.Fatalf("%d records, want %d", s.Len(), n)
		}
		for _, i := range r.Perm(n) {
			err := s.Record(i, func(b []byte) error {
				if !bytes.Equal(b, want[i]) {
					t.Errorf("record %d of %d has %d bytes, want %d", i, n, len(b), len(want[i]))
				}
				return nil
			})
			if err != nil {
				t.Fatalf("record %d of %d: %v", i, n, err)
			}
		}
		for range 30 {
			lo := r.IntN(n + 1)
			hi := lo + r.IntN(n-lo+1)
			next := lo
			err := s.Records(lo, hi, func(i int, b []byte) error {
				if i != next || !bytes.Equal(b, want[i]) {
					t.Errorf("record %d came as %d with %d bytes", next, i, len(b))
				}
				next++
				return nil
			})
			if err != nil || next != hi {
				t.Fatalf("records %d to %d ended at %d: %v", lo, hi, next, err)
			}
		}
	}
}

func TestEmptyRecordsAreRecords(t *testing.T) {
	for _, records := range [][][]byte{{{}}, {{}, {}}, {{}, []byte("a"), {}}, {bytes.Repeat([]byte("a"), 20_000), {}, {}, []byte("b")}} {
		s := buildStore(t, records)
		err := s.Records(0, len(records), func(i int, b []byte) error {
			if !bytes.Equal(b, records[i]) {
				t.Errorf("record %d of %d has %d bytes, want %d", i, len(records), len(b), len(records[i]))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRecordsStopAtTheFirstError(t *testing.T) {
	s := buildStore(t, randomRecords(rand.New(rand.NewPCG(6, 2)), 50))
	enough, seen := errors.New("enough"), 0
	err := s.Records(0, 50, func(int, []byte) error {
		if seen++; seen == 7 {
			return enough
		}
		return nil
	})
	if err != enough || seen != 7 {
		t.Errorf("got %v after %d records", err, seen)
	}
}

func TestARecordThatIsNotThereIsCorrupt(t *testing.T) {
	s := buildStore(t, randomRecords(rand.New(rand.NewPCG(6, 3)), 50))
	for _, i := range []int{-1, 50, 1 << 40} {
		if err := s.Record(i, func([]byte) error { return nil }); winnow.CodeOf(err) != winnow.Corrupt {
			t.Errorf("record %d gave %v, want a corrupt error", i, err)
		}
	}
}
