package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// patchStep changes what is asked for as kubectl apply does.
func patchStep() stepKind {
	return stepKind{
		name: spec.StepPatch, asks: true, changes: true,
		is:     func(s Step) bool { return s.Patch != nil },
		text:   func(s Step) string { return fmt.Sprintf("patch %d", s.Patch.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Patch },
		check:  func(c *checker, s step) { c.ask(s, spec.StepPatch, *s.Patch) },
	}
}
