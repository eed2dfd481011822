package server

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
)

// maxBody bounds every body that is read, in bytes.
const maxBody = 1 << 20

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, op := range operations {
		mux.HandleFunc("POST "+op.pattern, s.operate(op))
	}
	for _, c := range collections {
		mux.HandleFunc("GET "+c.path, s.listing(c))
		if c != responses {
			mux.HandleFunc("GET "+c.path+"/{id}", s.one(c))
		}
	}
	mux.HandleFunc("GET /payouts/{parent}/reversals", s.listing(reversals))
	mux.HandleFunc("GET /credits/{parent}/reversals", s.listing(reversals))
	// "responses" stands before the id of a response and behind the id of a
	// dispute, which no two patterns can tell apart.
	mux.HandleFunc("GET /disputes/{parent}/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == "responses" {
			s.listing(responses)(w, r)
			return
		}
		s.one(responses)(w, r)
	})
	mux.HandleFunc("GET /books", s.plain(http.StatusOK, func(tx *sql.Tx, _ *http.Request) (answer, error) { return readBooks(tx) }))
	mux.HandleFunc("GET /faults", s.plain(http.StatusOK, showFaults))
	mux.HandleFunc("DELETE /faults", s.plain(http.StatusOK, clearFaults))
	mux.HandleFunc("DELETE /faults/{id}", s.plain(http.StatusOK, clearFault))
	mux.HandleFunc("POST /faults", s.plain(http.StatusCreated, s.armFault))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, notFound("There is no such endpoint for this method."))
	})
	return mux
}

// operate is the handler of one operation.
func (s *Server) operate(op *operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := s.readCall(op, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		out, f, err := s.fly(r, c)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.deliver(w, out, f)
	}
}

// fly executes a call while its key is in flight, and keeps the key as long as a
// fault keeps the answer back: who can read of the end finds the key free.
func (s *Server) fly(r *http.Request, c *call) (answer, fault, error) {
	if c.op.keyed {
		if !s.flights.begin(c.key) {
			return answer{}, fault{}, &problem{status: http.StatusConflict, code: "key_in_use",
				message: "A request with this Idempotency-Key is in flight; wait and repeat it."}
		}
		defer s.flights.end(c.key)
	}
	out, faults, err := s.decide(c)
	if err != nil {
		return answer{}, fault{}, err
	}
	s.keepBack(r.Context(), faults[stageAnswer])
	return out, faults[stageAnswer], nil
}

// decide outlives the caller: a request that was read is executed even if
// nobody waits for its answer any more.
func (s *Server) decide(c *call) (out answer, faults bites, err error) {
	err = update(context.Background(), s.db, func(tx *sql.Tx) (err error) {
		out, faults, err = s.perform(tx, c)
		return err
	})
	s.settling.ring()
	s.hooks.ring()
	return out, faults, err
}

func (s *Server) readCall(op *operation, r *http.Request) (*call, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	own, err := s.cfg.headerFaults(r)
	if err != nil {
		return nil, err
	}
	key, err := readKey(op, r)
	if err != nil {
		return nil, err
	}
	o, err := op.read(r.PathValue("id"), body)
	if err != nil {
		return nil, err
	}
	if o.Object == kindMessage {
		key = o.MessageID
	}
	about := subject{op: op, operation: op.name, method: r.Method, path: r.URL.Path, key: key, reference: o.Reference, own: own}
	return &call{subject: about, body: body, object: o}, nil
}

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, &problem{status: http.StatusBadRequest, code: "invalid_body", message: "The body could not be read."}
	}
	if len(body) > maxBody {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, code: "too_large", message: "The body is larger than 1 MiB."}
	}
	return body, nil
}

func readKey(op *operation, r *http.Request) (string, error) {
	if !op.keyed {
		return "", nil
	}
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", &problem{status: http.StatusBadRequest, code: "key_missing", message: "The header Idempotency-Key is missing."}
	}
	if len(values) > 1 || !isWord(values[0]) {
		return "", &problem{status: http.StatusBadRequest, code: "key_invalid",
			message: "The Idempotency-Key must be one value of 1 to 255 characters of printable ASCII."}
	}
	return values[0], nil
}

func (s *Server) one(c collection) http.HandlerFunc {
	return s.look("get_"+c.name, func(tx *sql.Tx, r *http.Request) (answer, error) {
		if c == responses && r.PathValue("parent") != "responses" {
			return answer{}, notFound("There is no such endpoint.")
		}
		return s.findOne(tx, c.kind, r.PathValue("id"))
	})
}

func (s *Server) listing(c collection) http.HandlerFunc {
	return s.look("list_"+c.name, func(tx *sql.Tx, r *http.Request) (answer, error) {
		f, err := readFilter(r.URL.Query())
		if err != nil {
			return answer{}, err
		}
		f.kind, f.parent = c.kind, r.PathValue("parent")
		return s.list(tx, f)
	})
}

// look is a look-up, which faults can disturb as well.
func (s *Server) look(name string, find func(*sql.Tx, *http.Request) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		own, err := s.cfg.headerFaults(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		about := subject{operation: name, method: r.Method, path: r.URL.Path, reference: r.URL.Query().Get("reference"), own: own}
		var out answer
		var faults bites
		err = update(r.Context(), s.db, func(tx *sql.Tx) (err error) {
			if faults, err = takeFaults(tx, about); err != nil {
				return err
			}
			if early := refusal(faults[stageAnswer]); early != nil {
				out = *early
				return nil
			}
			out, err = find(tx, r)
			if p, ok := errors.AsType[*problem](err); ok {
				out, err = p.answer(), nil
			}
			return err
		})
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.keepBack(r.Context(), faults[stageAnswer])
		s.deliver(w, out, faults[stageAnswer])
	}
}

// plain is an endpoint for the person at the controls: no fault bites it.
func (s *Server) plain(status int, do func(*sql.Tx, *http.Request) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var out answer
		err := update(r.Context(), s.db, func(tx *sql.Tx) (err error) {
			out, err = do(tx, r)
			return err
		})
		if err != nil {
			s.fail(w, r, err)
			return
		}
		out.status = status
		s.send(w, out)
	}
}

func showFaults(tx *sql.Tx, _ *http.Request) (answer, error) {
	all, err := loadFaults(tx, "")
	return jsonAnswer(http.StatusOK, map[string]any{"faults": all}), err
}

func clearFaults(tx *sql.Tx, _ *http.Request) (answer, error) {
	_, err := tx.Exec(`DELETE FROM faults`)
	return jsonAnswer(http.StatusOK, map[string]any{"faults": []armed{}}), err
}

// clearFault takes back one armed fault, and shows those that are left.
func clearFault(tx *sql.Tx, r *http.Request) (answer, error) {
	done, err := tx.Exec(`DELETE FROM faults WHERE id=?`, r.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return answer{}, errors.Join(err, notFound("There is no such armed fault."))
	}
	return showFaults(tx, r)
}

func (s *Server) armFault(tx *sql.Tx, r *http.Request) (answer, error) {
	body, err := readBody(r)
	if err != nil {
		return answer{}, err
	}
	a, err := s.cfg.readFault(body)
	if err != nil {
		return answer{}, err
	}
	if a.Fault == refuseConnect {
		a.Times, a.Bites = 1, 1
		s.refuse(a.wait())
	}
	condition, err := json.Marshal(a.Match)
	if err != nil {
		return answer{}, err
	}
	err = tx.QueryRow(`INSERT INTO faults (match, fault, times, ms, bites) VALUES (?,?,?,?,?) RETURNING id`,
		string(condition), a.Fault, a.Times, a.MS, a.Bites).Scan(&a.ID)
	return jsonAnswer(http.StatusCreated, a), err
}
