package timeline

import "operatorbench/e2e/record"

// Stopped reports whether the scenario's steps stopped at a point of the reconcile: it did
// not come in time, and what follows was never asked for.
func (t *Timeline) Stopped() bool {
	return t.Matrix && t.End != nil && t.End.Outcome == record.TimedOut && t.End.Await != ""
}

// Curtail makes a sample whose steps stopped one that wants what had been asked for by then.
func (t *Timeline) Curtail() {
	if !t.Stopped() {
		return
	}
	for _, s := range t.Subjects {
		s.Size = s.present
	}
	t.Sample.Size = t.Subjects[0].Size
	t.Phases, t.stale = t.Style.phases(&t.Sample), true
}
