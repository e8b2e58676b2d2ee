package scenarios

import (
	"fmt"
)

// StepTurn is the step's name in a file.
const StepTurn = "turn"

// turnStep changes what is asked for but for its size.
func turnStep() stepKind {
	return stepKind{
		name: StepTurn, own: true, changes: true,
		text: func(s Step) string { return fmt.Sprintf("turn the knob of the effect %s", s.Turn) },
		check: func(c *checker, s step) {
			c.present(s, StepTurn)
			s.custom.change()
		},
	}
}
