package judge

import (
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

// once leaves one failure of a sample whose steps never began, or stopped, where the others follow from it: the first.
func once(t *timeline.Timeline, list []Verdict) {
	first := ""
	for i := range list {
		v := &list[i]
		o, _ := named(v.Oracle)
		switch follows := !t.Begun() || t.Stopped() && o.OfTheEnd; {
		case v.Outcome != spec.Fail || !follows:
		case first == "":
			first = v.Oracle
		default:
			v.Outcome, v.Evidence = spec.NotApplicable, nil
			v.Message = "not judged: it follows from what " + first + " says" + stopped(t)
		}
	}
}
