package scenarios

// StepDelete is the step's name in a file.
const StepDelete = "delete"

// deleteStep deletes a custom resource.
func deleteStep() stepKind {
	return stepKind{
		name: StepDelete, asks: true,
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
