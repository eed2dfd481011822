package server

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

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
		mux.HandleFunc("GET "+c.path, s.listing(c.kind))
		if c.kind != kindResponse {
			mux.HandleFunc("GET "+c.path+"/{id}", s.one(c.kind))
		}
	}
	mux.HandleFunc("GET /payouts/{parent}/reversals", s.listing(kindReversal))
	mux.HandleFunc("GET /credits/{parent}/reversals", s.listing(kindReversal))
	// "responses" stands before the id of a response and behind the id of a
	// dispute, which no two patterns can tell apart.
	mux.HandleFunc("GET /disputes/{parent}/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == "responses" {
			s.listing(kindResponse)(w, r)
			return
		}
		s.one(kindResponse)(w, r)
	})
	mux.HandleFunc("GET /books", s.plain(http.StatusOK, func(tx *sql.Tx, _ *http.Request) (answer, error) { return readBooks(tx) }))
	mux.HandleFunc("GET /faults", s.plain(http.StatusOK, showFaults))
	mux.HandleFunc("DELETE /faults", s.plain(http.StatusOK, clearFaults))
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
		if op.keyed {
			if !s.flights.begin(c.key) {
				s.fail(w, r, &problem{status: http.StatusConflict, code: "key_in_use",
					message: "A request with this Idempotency-Key is in flight; wait and repeat it."})
				return
			}
			defer s.flights.end(c.key)
		}
		out, faults, err := s.decide(c)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.deliver(w, r, out, faults[stageAnswer])
	}
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

func (s *Server) one(kind string) http.HandlerFunc {
	return s.look("get_"+kind, func(tx *sql.Tx, r *http.Request) (answer, error) {
		if kind == kindResponse && r.PathValue("parent") != "responses" {
			return answer{}, notFound("There is no such endpoint.")
		}
		return s.findOne(tx, kind, r.PathValue("id"))
	})
}

func (s *Server) listing(kind string) http.HandlerFunc {
	return s.look("list_"+kind, func(tx *sql.Tx, r *http.Request) (answer, error) {
		f, err := readFilter(r.URL.Query())
		if err != nil {
			return answer{}, err
		}
		f.kind, f.parent = kind, r.PathValue("parent")
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
		s.deliver(w, r, out, faults[stageAnswer])
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

// deliver sends the answer, or what the fault makes of it.
func (s *Server) deliver(w http.ResponseWriter, r *http.Request, out answer, f fault) {
	switch f.name {
	case refuseConnect:
		s.refuse(f.wait)
		cut(w)
	case dropBefore, dropAfter:
		cut(w)
	case hangAfter:
		s.wait(r.Context(), f.wait)
		cut(w)
	case slow:
		s.wait(r.Context(), f.wait)
		s.send(w, out)
	case truncatedBody:
		s.truncate(w, out)
	case otherKey:
		s.send(w, echoOther(out))
	default:
		s.send(w, out)
	}
}

// wait ends early when the caller leaves or the sandbox closes.
func (s *Server) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
}

// cut resets the connection, so that the caller reads an error, not an end.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		// Best effort: without it the close is a FIN, which is a cut as well.
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// truncate promises the whole body and sends half of it.
func (s *Server) truncate(w http.ResponseWriter, out answer) {
	s.head(w, out)
	_, err := w.Write(out.body[:len(out.body)/2])
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	if err != nil {
		s.log.Debug("sandbox: the caller left before the answer", "error", err)
	}
	panic(http.ErrAbortHandler)
}

// echoOther makes a single object in an answer look like another request's.
func echoOther(out answer) answer {
	var o object
	if err := json.Unmarshal(out.body, &o); err != nil || o.ID == "" {
		return out
	}
	o.Reference += "-other"
	if o.MessageID != "" {
		o.MessageID = o.Reference
	}
	changed := jsonAnswer(out.status, &o)
	changed.replayed = out.replayed
	return changed
}
