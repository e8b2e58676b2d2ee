package scenarios

import (
	"fmt"
)

// StepAnnotate is the step's name in a file.
const StepAnnotate = "annotate"

// annotateStep writes what no operator reads.
func annotateStep() stepKind {
	return stepKind{
		name: StepAnnotate, changes: true,
		text: func(s Step) string { return fmt.Sprintf("annotate %d times", s.Annotate) },
		check: func(c *checker, s step) {
			c.present(s, "annotate")
			s.custom.idle++
		},
	}
}
