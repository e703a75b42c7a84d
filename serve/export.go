package serve

import (
	"net/http"
	"os"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/page"
)

// exportRun sends a recorded run as one page to keep.
func (s *Server) exportRun(w http.ResponseWriter, r *http.Request) error {
	id, err := s.archive.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	text := r.URL.Query().Get("text")
	if text != "" && text != "no" {
		return fault(http.StatusBadRequest, string(winnow.BadInput), "text=no", "text can only be no")
	}
	about, ok := s.archive.run(id)
	if !ok {
		return fault(http.StatusNotFound, string(winnow.NotFound), "GET /v1/runs lists them", "the run has not begun yet")
	}
	file, err := os.Open(s.archive.folder.Path(id))
	if err != nil {
		return err
	}
	defer file.Close()
	t, _ := winnow.ReadTrajectory(file) // one that was cut off is told as far as it goes
	export := &page.Export{Run: id, Began: about.Began, State: about.State, Events: t.Events, NoText: text == "no"}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="winnow-`+id+`.html"`)
	return export.Write(w)
}
