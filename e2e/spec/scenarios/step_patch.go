package scenarios

import (
	"fmt"
)

// StepPatch is the step's name in a file.
const StepPatch = "patch"

// patchStep changes what is asked for as kubectl apply does.
func patchStep() stepKind {
	return stepKind{
		name: StepPatch, asks: true, changes: true,
		text:   func(s Step) string { return fmt.Sprintf("patch %d", s.Patch.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Patch },
		check:  func(c *checker, s step) { c.ask(s, StepPatch, *s.Patch) },
	}
}
