package scenarios

import (
	"fmt"
)

// StepWrong is the step's name in a file.
const StepWrong = "wrong"

// wrongStep sets the fields of the custom resource to wrong values, one after the other, and back.
func wrongStep() stepKind {
	return stepKind{
		name: StepWrong, own: true, changes: true, waits: true,
		text: func(s Step) string {
			return fmt.Sprintf("set wrong values, up to %d that the definition takes, each set right again", s.Wrong)
		},
		check: func(c *checker, s step) {
			c.present(s, "wrong")
			c.replaces(s, "its fields have wrong values")
		},
	}
}
