package model

// GiveUpRest makes the steps moot that an approved compensation leaves undone:
// what is undone is not gone on with. Steps that are uncertain keep their
// state, since they may have happened. cause is the approval request's id.
func (c *Case) GiveUpRest(cause string, now Time) error {
	for _, s := range c.Steps {
		if s.State != Pending && s.State != FailedSafely {
			continue
		}
		if err := c.move(s, NotNeeded, WhoApprover, cause, "The intent is being undone.", now); err != nil {
			return err
		}
		s.Ordered, s.OrderID, s.OrderBy, s.OrderAt, s.OrderDigest = NoOrder, "", "", 0, nil
	}
	return nil
}
