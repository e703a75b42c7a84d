package builtin

import (
	"embed"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/rerank/boost"
)

// Weights are what was learned: a ranker, whose scores order the passages of one
// question, and a judge, whose scores are the log odds that a passage is
// relevant and mean the same for every question.
type Weights struct {
	Ranker *boost.Model
	Judge  *boost.Model
}

//go:embed weights/*.weights
var committed embed.FS

// File is the name of the weights for a vector space; "" is the search without
// vectors.
func File(space string) string {
	if space == "" {
		space = "lexical"
	}
	return strings.ReplaceAll(space, "/", "-") + ".weights"
}

// Load returns the weights for a space: those in dir, if somebody has trained
// them there, else the ones that come with the policy. A space that has none is
// served by those of the search without vectors.
func Load(dir, space string) (*Weights, error) {
	if dir != "" {
		data, err := os.ReadFile(filepath.Join(dir, File(space)))
		if err == nil {
			return Decode(data)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	data, err := committed.ReadFile("weights/" + File(space))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = committed.ReadFile("weights/" + File(""))
	}
	if err != nil {
		return nil, err
	}
	return Decode(data)
}

// Encode returns the weights as a file.
func (w *Weights) Encode() []byte {
	ranker := w.Ranker.Encode()
	out := binary.AppendUvarint(nil, uint64(len(ranker)))
	out = append(out, ranker...)
	return append(out, w.Judge.Encode()...)
}

// Decode reads what Encode wrote, and refuses weights for other features.
func Decode(data []byte) (*Weights, error) {
	n, at := binary.Uvarint(data)
	if at <= 0 || n > uint64(len(data)-at) {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: "these are no weights of the built-in policy", Hint: "a file that winnow train builtin wrote"}
	}
	ranker, err := boost.Decode(data[at:at+int(n)], Features)
	if err != nil {
		return nil, err
	}
	judge, err := boost.Decode(data[at+int(n):], Features)
	if err != nil {
		return nil, err
	}
	return &Weights{ranker, judge}, nil
}
