package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// scaleStep changes it by the scale subresource, as autoscalers do.
func scaleStep() stepKind {
	return stepKind{
		name: spec.StepScale, asks: true, changes: true,
		is:     func(s Step) bool { return s.Scale != nil },
		text:   func(s Step) string { return fmt.Sprintf("scale to %d by the scale subresource", s.Scale.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Scale },
		check:  func(c *checker, s step) { c.ask(s, spec.StepScale, *s.Scale) },
	}
}
