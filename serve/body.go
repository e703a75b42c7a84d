package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

// bodyTime is how long a body may take to arrive.
const bodyTime = 30 * time.Second

// decode reads a request's body: one JSON object without fields that nobody
// knows, because a slip in a field's name would otherwise be a silent default.
func decode[T any](w http.ResponseWriter, r *http.Request, limit int64) (*T, error) {
	c := http.NewResponseController(w)
	c.SetReadDeadline(time.Now().Add(bodyTime)) // not every connection can
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	c.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, fault(http.StatusRequestEntityTooLarge, tooLarge, "send less at once", fmt.Sprintf("the body is larger than %d bytes", limit))
	case err != nil:
		return nil, fault(http.StatusBadRequest, string(winnow.BadInput), "send it again", "the body ended early")
	case !utf8.Valid(data):
		return nil, fault(http.StatusBadRequest, string(winnow.BadInput), "UTF-8", "the body is not valid UTF-8")
	}
	v := new(T)
	if err := strict(data, v); err != nil {
		return nil, fault(http.StatusBadRequest, string(winnow.BadInput), "a JSON object with "+strings.Join(fieldsOf(reflect.TypeFor[T]()), ", "), err.Error())
	}
	return v, nil
}

// strict decodes one JSON object and nothing else.
func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	d.UseNumber() // large integers of metadata stay what they are
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("the body is not a JSON object")
	}
	err := d.Decode(v)
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		return fmt.Errorf("the field %q can't be %s", wrong.Field, article(wrong.Value))
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is not JSON: %s at byte %d", syntax.Error(), syntax.Offset)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return errors.New("there is no field " + strings.TrimPrefix(err.Error(), "json: unknown field "))
	default:
		return errors.New("the body is not a whole JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one JSON object in the body")
	}
	return nil
}

func article(kind string) string {
	if strings.HasPrefix(kind, "array") || strings.HasPrefix(kind, "object") {
		return "an " + kind
	}
	return "a " + kind
}

// fieldsOf are the names of an object's fields.
func fieldsOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, fieldsOf(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
