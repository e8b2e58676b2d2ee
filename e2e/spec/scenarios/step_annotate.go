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
			if s.Annotate < 1 || s.Annotate > writes {
				c.fail(s.at("annotate"), "annotate is %d, expected 1 to %d writes", s.Annotate, writes)
			}
			c.present(s, "annotate")
			s.custom.idle++
		},
	}
}

// writes is the most that one step annotates.
const writes = 20
