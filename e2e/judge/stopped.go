package judge

import (
	"slices"
	"strings"

	"operatorbench/e2e/record"
)

// stoppedAt is the point of the reconcile at which the scenario's steps stopped,
// with what it lacked: it was awaited in vain, and what follows was never asked
// for. "": the steps came to their end.
func (t *Timeline) stoppedAt() string {
	if t.matrix && t.End != nil && t.End.Outcome == record.TimedOut && strings.HasPrefix(t.End.Reason, "await ") {
		return t.End.Reason
	}
	return ""
}

// stopped says so, as the end of a message.
func (t *Timeline) stopped() string {
	if at := t.stoppedAt(); at != "" {
		return "; the steps stopped at " + at
	}
	return ""
}

// curtail makes a sample whose steps stopped one that wants what had been asked
// for by then.
func (t *Timeline) curtail() {
	if t.stoppedAt() == "" {
		return
	}
	for _, s := range t.subjects {
		s.size = s.present
	}
	t.Sample.Size = t.subjects[0].size
	t.phases, t.stale = t.style.phases(&t.Sample), true
}

// unasked tells whether an oracle judges what a scenario as a whole is for: the
// fault and its end, the wrong custom resource. Of steps that stopped it says nothing.
func unasked(oracle string) bool {
	return slices.Contains([]string{"recovers", "refused", "diagnosable"}, oracle)
}

// ofTheEnd tells whether an oracle judges the state at a sample's end.
func ofTheEnd(oracle string) bool {
	return slices.Contains([]string{"converged", "status", "gone", "garbage", "reference"}, oracle)
}

// once leaves one failure of a sample whose steps never began, or stopped, where
// the others follow from it: the first.
func (t *Timeline) once(list []Verdict) {
	first := ""
	for i := range list {
		v := &list[i]
		switch follows := !t.begun() || t.stoppedAt() != "" && ofTheEnd(v.Oracle); {
		case v.Outcome != Fail || !follows:
		case first == "":
			first = v.Oracle
		default:
			v.Outcome, v.Evidence = NotApplicable, nil
			v.Message = "not judged: it follows from what " + first + " says" + t.stopped()
		}
	}
}
