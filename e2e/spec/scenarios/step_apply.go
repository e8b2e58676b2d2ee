package scenarios

import (
	"fmt"
)

// StepApply is the step's name in a file.
const StepApply = "apply"

// applyStep changes it by a server-side apply of another manager.
func applyStep() stepKind {
	return stepKind{
		name: StepApply, asks: true, changes: true,
		text:   func(s Step) string { return fmt.Sprintf("apply %d", s.Apply.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Apply },
		check:  func(c *checker, s step) { c.ask(s, StepApply, *s.Apply) },
	}
}
