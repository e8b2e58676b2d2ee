package scenarios

import (
	"fmt"
)

// StepScale is the step's name in a file.
const StepScale = "scale"

// scaleStep changes it by the scale subresource, as autoscalers do.
func scaleStep() stepKind {
	return stepKind{
		name: StepScale, asks: true, changes: true,
		text:   func(s Step) string { return fmt.Sprintf("scale to %d by the scale subresource", s.Scale.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Scale },
		check:  func(c *checker, s step) { c.ask(s, StepScale, *s.Scale) },
	}
}
