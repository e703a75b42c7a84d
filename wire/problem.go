package wire

// Problem says why a request could not be served, as application/problem+json
// (RFC 9457).
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Code is for programs, Detail one sentence for people, Hint what to do.
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
}
