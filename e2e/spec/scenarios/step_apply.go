package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// applyStep changes it by a server-side apply of another manager.
func applyStep() stepKind {
	return stepKind{
		name: spec.StepApply, asks: true, changes: true,
		is:     func(s Step) bool { return s.Apply != nil },
		text:   func(s Step) string { return fmt.Sprintf("apply %d", s.Apply.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Apply },
		check:  func(c *checker, s step) { c.ask(s, spec.StepApply, *s.Apply) },
	}
}
