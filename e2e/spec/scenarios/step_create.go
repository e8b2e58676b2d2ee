package scenarios

import (
	"fmt"
)

// StepCreate is the step's name in a file.
const StepCreate = "create"

// createStep makes a custom resource.
func createStep() stepKind {
	return stepKind{
		name: StepCreate, asks: true, changes: true,
		text:   func(s Step) string { return fmt.Sprintf("create %d", s.Create.Size) },
		result: func(s Step, _ *Spec) *Spec { return s.Create },
		check: func(c *checker, s step) {
			c.absent(s, "create")
			s.custom.there, s.custom.been = true, true
			s.custom.change()
		},
	}
}
