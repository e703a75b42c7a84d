package serve

import (
	"net/http"

	"github.com/winnow-search/winnow/wire"
)

func (s *Server) listCollections(w http.ResponseWriter, r *http.Request) error {
	list, err := s.desk.Collections(r.Context())
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, list)
	return nil
}

func (s *Server) createCollection(w http.ResponseWriter, r *http.Request) error {
	q, err := decode[wire.CollectionRequest](w, r, s.options.MaxBody)
	if err != nil {
		return err
	}
	c, err := s.desk.Create(r.Context(), q)
	if err != nil {
		return err
	}
	reply(w, http.StatusCreated, c)
	return nil
}

func (s *Server) showCollection(w http.ResponseWriter, r *http.Request) error {
	c, err := s.desk.Collection(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, c)
	return nil
}

func (s *Server) deleteCollection(w http.ResponseWriter, r *http.Request) error {
	if err := s.desk.Delete(r.PathValue("name")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) writeDocuments(w http.ResponseWriter, r *http.Request) error {
	q, err := decode[wire.DocumentsRequest](w, r, s.options.MaxDocuments)
	if err != nil {
		return err
	}
	written, err := s.desk.Write(r.Context(), r.PathValue("name"), q)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, written)
	return nil
}
