package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// turnStep changes what is asked for but for its size.
func turnStep() stepKind {
	return stepKind{
		name: spec.StepTurn, own: true, changes: true,
		is:   func(s Step) bool { return s.Turn != "" },
		text: func(s Step) string { return fmt.Sprintf("turn the knob of the effect %s", s.Turn) },
		check: func(c *checker, s step) {
			c.present(s, spec.StepTurn)
			s.custom.change()
		},
	}
}
