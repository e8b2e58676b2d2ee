package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// annotateStep writes what no operator reads.
func annotateStep() stepKind {
	return stepKind{
		name: spec.StepAnnotate, changes: true,
		is:   func(s Step) bool { return s.Annotate != 0 },
		text: func(s Step) string { return fmt.Sprintf("annotate %d times", s.Annotate) },
		check: func(c *checker, s step) {
			c.present(s, "annotate")
			s.custom.idle++
		},
	}
}
