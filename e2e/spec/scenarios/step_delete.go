package scenarios

import (
	"operatorbench/e2e/spec"
)

// deleteStep deletes a custom resource.
func deleteStep() stepKind {
	return stepKind{
		name: spec.StepDelete, asks: true,
		is:     func(s Step) bool { return s.Delete != nil },
		text:   func(Step) string { return "delete" },
		result: func(Step, *Spec) *Spec { return nil },
		check: func(c *checker, s step) {
			c.present(s, "delete")
			s.custom.there = false
			s.custom.change()
			c.replaces(s, "it is deleted")
		},
	}
}
