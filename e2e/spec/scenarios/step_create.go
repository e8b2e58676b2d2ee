package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// createStep makes a custom resource.
func createStep() stepKind {
	return stepKind{
		name: spec.StepCreate, asks: true, changes: true,
		is:     func(s Step) bool { return s.Create != nil },
		text:   func(s Step) string { return fmt.Sprintf("create %d", s.Create.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Create },
		check: func(c *checker, s step) {
			c.absent(s, "create")
			s.custom.there, s.custom.been = true, true
			s.custom.change()
		},
	}
}
