package serve

import (
	"net/http"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/page"
)

// exportRun sends a recorded run as one page to keep.
func (s *Server) exportRun(w http.ResponseWriter, r *http.Request) error {
	text := r.URL.Query().Get("text")
	if text != "" && text != "no" {
		return fault(http.StatusBadRequest, string(winnow.BadInput), "text=no", "text can only be no")
	}
	about, t, err := s.archive.read(r.PathValue("id"))
	if err != nil {
		return err
	}
	export := &page.Export{Run: about.Run, Began: about.Began, State: about.State, Events: t.Events, NoText: text == "no"}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="winnow-`+about.Run+`.html"`)
	hurry(w)
	return export.Write(w)
}
