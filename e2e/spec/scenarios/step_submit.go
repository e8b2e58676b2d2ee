package scenarios

import (
	"encoding/json"
	"fmt"
)

// StepSubmit is the step's name in a file.
const StepSubmit = "submit"

// submitStep sends a custom resource that is wrong.
func submitStep() stepKind {
	return stepKind{
		name: StepSubmit, changes: true,
		text: func(s Step) string { return s.Submit.text() },
		check: func(c *checker, s step) {
			if s.Submit.Patch {
				c.present(s, "submit")
			} else {
				c.absent(s, "submit")
			}
			_, loose := c.seen.open["definition"]
			switch {
			case s.Submit.Refused:
				c.seen.refused++
				return
			case s.On != "":
				c.FailAt(s.at("submit"), "submit: what cannot be brought about is asked of the scenario's own custom resource only")
			case !loose:
				c.FailAt(s.at("submit"), "submit: the workload's definition refuses it: add refused: true, or before it a step fault: {definition: tutorial}")
			}
			s.custom.there, s.custom.been = true, true
			s.custom.change()
		},
	}
}

// Submit is a custom resource that is wrong.
type Submit struct {
	Object  map[string]any `yaml:"object"`
	Patch   bool           `yaml:"patch"`   // sent as a merge patch of the custom resource that is there
	Refused bool           `yaml:"refused"` // by the API server; else it takes it, and the operator must tell
}

func (s Submit) text() string {
	verb := "create"
	if s.Patch {
		verb = "patch"
	}
	text := fmt.Sprintf("%s with spec %s", verb, asJSON(s.Object["spec"]))
	if s.Refused {
		text += ", which is refused"
	}
	return text
}

// asJSON prints a value of a file.
func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
