package serve

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/winnow-search/winnow"
)

// page serves the files of the web page. A path without a file's ending is a
// place in the page, which finds its way by itself: links to a run stay good.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	missing := fault(http.StatusNotFound, string(winnow.NotFound), "GET /openapi.json lists what there is", "there is nothing at this address")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return missing
	}
	if strings.Contains(r.URL.Path, "..") || strings.Contains(r.URL.Path, "//") {
		return missing
	}
	name := strings.Trim(r.URL.Path, "/")
	api := strings.HasPrefix(name, "v1/") || name == "v1" || name == "mcp"
	if s.options.Page == nil || api {
		return missing
	}
	if path.Ext(name) == "" {
		name = "index.html"
	}
	if info, err := fs.Stat(s.options.Page, name); err != nil || info.IsDir() {
		return missing
	}
	w.Header().Set("Cache-Control", "no-cache") // a newer binary has newer files
	hurry(w)
	http.ServeFileFS(w, r, s.options.Page, name)
	return nil
}
