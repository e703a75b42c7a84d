package wire

// Server is what a server says of itself.
type Server struct {
	Version string `json:"version"`
	// Policy answers where a request names none; Policies are those it may name.
	Policy   string   `json:"policy"`
	Policies []string `json:"policies"`
	// Running and Queued count runs.
	Running int `json:"running"`
	Queued  int `json:"queued"`
}

// LoginLink lets a browser in, once.
type LoginLink struct {
	Link string `json:"link"`
}

// Health is the reply of /healthz and /readyz.
type Health struct {
	Status string `json:"status"`
}
