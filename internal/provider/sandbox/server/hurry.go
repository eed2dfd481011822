package server

import "context"

// Hurry lets the books be written before they are on the disk, until Durable is
// called. The death of this process loses nothing even so; a machine that stops
// may lose the file. It is for work that can be made again from nothing.
func (s *Server) Hurry(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, "PRAGMA synchronous = OFF")
	return err
}

// Durable ends a Hurry: when it returns nil, all that was written is on the disk,
// and everything later is before it is answered.
func (s *Server) Durable(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}
