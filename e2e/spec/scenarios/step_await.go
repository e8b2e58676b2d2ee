package scenarios

import (
	"slices"

	"operatorbench/e2e/spec"
)

// StepAwait is the step's name in a file.
const StepAwait = "await"

// awaitStep waits for a point of the reconcile.
func awaitStep() stepKind {
	return stepKind{
		name: StepAwait, own: true, waits: true,
		text: func(s Step) string { return "await " + s.Await },
		check: func(c *checker, s step) {
			switch there := s.custom.there; {
			case s.Await == spec.PointGone && (there || s.custom.held):
				c.FailAt(s.at("await"), "await gone: the custom resource is still there")
			case !s.custom.been && s.Await != spec.PointStuck:
				c.FailAt(s.at("await"), "await %s: no custom resource has been asked for", s.Await)
			case !there && slices.Contains([]string{spec.PointWritten, spec.PointReady}, s.Await):
				c.FailAt(s.at("await"), "await %s: the custom resource is deleted", s.Await)
			case s.Await == spec.PointStuck:
				c.seen.stuck = true
			case s.Await == spec.PointWritten, s.Await == spec.PointReady, s.Await == spec.PointHandled, s.Await == spec.PointRested:
				s.custom.rested = true
			}
		},
	}
}
