package judge

import (
	"slices"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// stopped says so, as the end of a message.
func stopped(t *timeline.Timeline) string {
	if t.Stopped() {
		return "; the steps stopped at " + t.End.Reason
	}
	return ""
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
func once(t *timeline.Timeline, list []Verdict) {
	first := ""
	for i := range list {
		v := &list[i]
		switch follows := !t.Begun() || t.Stopped() && ofTheEnd(v.Oracle); {
		case v.Outcome != spec.Fail || !follows:
		case first == "":
			first = v.Oracle
		default:
			v.Outcome, v.Evidence = spec.NotApplicable, nil
			v.Message = "not judged: it follows from what " + first + " says" + stopped(t)
		}
	}
}
