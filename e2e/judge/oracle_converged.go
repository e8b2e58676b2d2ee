package judge

import (
	"cmp"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var convergedOracle = Named{Name: "converged", Needs: onMains, Shows: onMains, Judge: converged, OfTheEnd: true, Losing: true}

// converged is oracle 1: the custom resource's main child asks for the wanted replicas, and exactly these are ready,
// within the timeout. What is judged is the end state: to have been right once is not enough.
func converged(t *timeline.Timeline) Verdict {
	if t.Sample.Size == nil {
		return notApplicable("the custom resource is to be gone")
	}
	size, child := *t.Sample.Size, t.MainChild()
	lacks := t.SizeLacks(t.Subjects[0], size)
	if lacks != "" {
		evidence, last := complaints(t)
		if child != nil {
			evidence = nil // what became of it tells more
		}
		if own := t.Subjects[0]; t.Matrix {
			last = cmp.Or(t.Unplaced(own), last, t.Waiting(own))
		} else { // of pods no messages are read, and what the custom resource says is further away
			last = cmp.Or(t.Waiting(own), last)
		}
		return fail(evidence, "expected %d ready replicas%s; %s (%s) %s%s", size, withinTimeout(t), ending(t), t.Since(t.EndedAt), lacks, last)
	}
	at, reached := t.Reached(spec.PhaseReady)
	if reached && t.Sample.Timeout > 0 && at-t.Actions.Intent > t.Sample.Timeout {
		return fail(nil, "expected %d ready replicas%s; seen at %s", size, withinTimeout(t), t.Since(at))
	}
	if !reached {
		return pass("%s %s had %d ready replicas all along", t.Child.Kind, child.Name, size)
	}
	return pass("%s %s had %d ready replicas at %s", t.Child.Kind, child.Name, size, t.Since(at))
}

// complaints are the last messages of the cluster that something is amiss with this
// custom resource, and the very last as the end of a sentence; "": there is none.
func complaints(t *timeline.Timeline) (evidence []string, last string) {
	evidence = nearest(t, "of this resource", func(m timeline.Message) bool {
		if m.Names && m.Alarm {
			last = "; last said of it: " + m.Where + ": " + plain.Clip(m.Text, timeline.MostOfAMessage)
		}
		return m.Names && m.Alarm
	})
	return evidence, last
}

// withinTimeout says how long an end state was waited for; "" in the correctness
// matrix, where each step has a wait of its own, and patience ends many earlier.
func withinTimeout(t *timeline.Timeline) string {
	if t.Sample.Matrix {
		return ""
	}
	return " within " + timeline.Round(t.Sample.Timeout).String()
}

// ending names what ended the sample.
func ending(t *timeline.Timeline) string {
	switch {
	case t.End.Outcome != record.TimedOut:
		return "when the sample ended"
	case t.Sample.Matrix:
		return "when it was given up"
	}
	return "when the timeout came"
}
