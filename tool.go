package winnow

import "encoding/json"

// Tool is something a policy can call. It is the one source of what models are
// told about it and of what its arguments are checked against.
type Tool struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Parameters  []Parameter `json:"parameters,omitempty"`
}

// Parameter is a named argument of a tool.
type Parameter struct {
	Name        string        `json:"name"`
	Type        ParameterType `json:"type"`
	Description string        `json:"description,omitempty"`
	Optional    bool          `json:"optional,omitempty"`
}

// ParameterType is the kind of value a parameter takes.
type ParameterType string

const (
	TypeString  ParameterType = "string"
	TypeStrings ParameterType = "strings" // a list of strings
	TypeObject  ParameterType = "object"  // any JSON object
	TypeCalls   ParameterType = "calls"   // a list of {tool_name, parameters}
)

// Schema is the JSON schema of the tool's arguments, the same bytes every time.
func (t *Tool) Schema() json.RawMessage {
	type schema struct {
		Type        string             `json:"type"`
		Description string             `json:"description,omitempty"`
		Items       any                `json:"items,omitempty"`
		Properties  map[string]*schema `json:"properties,omitzero"`
		Required    []string           `json:"required,omitempty"`
		Additional  *bool              `json:"additionalProperties,omitempty"`
	}
	s := schema{Type: "object", Properties: map[string]*schema{}, Additional: new(bool)}
	for _, p := range t.Parameters {
		of := &schema{Type: string(p.Type), Description: p.Description}
		switch p.Type {
		case TypeStrings:
			of.Type, of.Items = "array", schema{Type: "string"}
		case TypeCalls:
			of.Type, of.Items = "array", schema{Type: "object", Required: []string{"tool_name", "parameters"},
				Properties: map[string]*schema{"tool_name": {Type: "string"}, "parameters": {Type: "object"}}}
		}
		s.Properties[p.Name] = of
		if !p.Optional {
			s.Required = append(s.Required, p.Name)
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and maps of strings always marshal
	}
	return b
}
