package timeline

import (
	"strings"

	"operatorbench/e2e/record"
)

// StoppedAt is the point of the reconcile at which the scenario's steps stopped,
// with what it lacked: it did not come in time, and what follows was never asked
// for. "": the steps came to their end.
func (t *Timeline) StoppedAt() string {
	if t.Matrix && t.End != nil && t.End.Outcome == record.TimedOut && strings.HasPrefix(t.End.Reason, "await ") {
		return t.End.Reason
	}
	return ""
}

// Curtail makes a sample whose steps stopped one that wants what had been asked
// for by then.
func (t *Timeline) Curtail() {
	if t.StoppedAt() == "" {
		return
	}
	for _, s := range t.Subjects {
		s.Size = s.present
	}
	t.Sample.Size = t.Subjects[0].Size
	t.Phases, t.stale = t.Style.phases(&t.Sample), true
}
