package serve

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

// The description of the server in OpenAPI 3.1, made from the routes and the
// types of their documents. 3.1 takes JSON Schema as it is.

// SchemaOf is the JSON schema of a document.
func SchemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	anything := &jsonschema.Schema{}
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): anything,
		reflect.TypeFor[winnow.Metadata](): {Types: []string{"object", "null"}, AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}},
	}})
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// describe makes the description.
func describe(routes []route, version string) ([]byte, error) {
	schemas := map[string]*jsonschema.Schema{}
	refer := func(t reflect.Type) (map[string]any, error) {
		if t.Kind() == reflect.Map {
			return map[string]any{"type": "object"}, nil
		}
		if schemas[t.Name()] == nil {
			schema, err := SchemaOf(t)
			if err != nil {
				return nil, err
			}
			schemas[t.Name()] = schema
		}
		return map[string]any{"$ref": "#/components/schemas/" + t.Name()}, nil
	}
	problem, err := refer(of[wire.Problem]())
	if err != nil {
		return nil, err
	}
	paths := map[string]map[string]any{}
	for _, rt := range routes {
		operation := map[string]any{"summary": rt.summary, "operationId": operationID(&rt)}
		success := map[string]any{"description": "Success."}
		content := map[string]any{}
		if rt.reply != nil {
			schema, err := refer(rt.reply)
			if err != nil {
				return nil, err
			}
			content["application/json"] = map[string]any{"schema": schema}
		}
		if rt.stream != "" {
			content["text/event-stream"] = map[string]any{"schema": map[string]any{"type": "string", "description": rt.stream}}
		}
		if len(content) > 0 {
			success["content"] = content
		}
		operation["responses"] = map[string]any{
			strconv.Itoa(cmp.Or(rt.status, http.StatusOK)): success,
			"default": map[string]any{"description": "What went wrong.", "content": map[string]any{"application/problem+json": map[string]any{"schema": problem}}},
		}
		if rt.request != nil {
			schema, err := refer(rt.request)
			if err != nil {
				return nil, err
			}
			operation["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
		}
		if parameters := parametersOf(&rt); len(parameters) > 0 {
			operation["parameters"] = parameters
		}
		if rt.open {
			operation["security"] = []any{}
		}
		if paths[rt.path] == nil {
			paths[rt.path] = map[string]any{}
		}
		paths[rt.path][strings.ToLower(rt.method)] = operation
	}
	return json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "Winnow", "version": cmp.Or(version, "dev"), "license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Agentic retrieval: a question goes in, a ranked set of supporting documents comes out."},
		"security":   []any{map[string]any{"token": []any{}}, map[string]any{}},
		"paths":      paths,
		"components": map[string]any{"schemas": schemas, "securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}}},
	})
}

func parametersOf(rt *route) (list []any) {
	for _, m := range pathParameter.FindAllStringSubmatch(rt.path, -1) {
		list = append(list, map[string]any{"name": m[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
	}
	for _, name := range slices.Sorted(maps.Keys(rt.parameters)) {
		list = append(list, map[string]any{"name": name, "in": "query", "description": rt.parameters[name], "schema": map[string]any{"type": "string"}})
	}
	return list
}

// operationID is a name for generated clients.
func operationID(rt *route) string {
	parts := strings.FieldsFunc(rt.path, func(r rune) bool { return strings.ContainsRune("/{}.-", r) })
	return strings.ToLower(rt.method) + "_" + strings.Join(parts, "_")
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Write(s.description) // who has left does not read it
	return nil
}
