package scenarios

// StepDelete is the step's name in a file.
const StepDelete = "delete"

// Delete is how a custom resource is deleted.
type Delete struct {
	// Orphan: what it owns is to stay, as `kubectl delete --cascade=orphan` asks. What the garbage collector keeps has no owner then.
	Orphan bool `yaml:"orphan"`
}

// deleteStep deletes a custom resource.
func deleteStep() stepKind {
	return stepKind{
		name: StepDelete, asks: true,
		text: func(s Step) string {
			if s.Delete.Orphan {
				return "delete, but not what it owns"
			}
			return "delete"
		},
		result: func(Step, *Spec) *Spec { return nil },
		check: func(c *checker, s step) {
			c.present(s, "delete")
			s.custom.there = false
			s.custom.change()
			if !s.Delete.Orphan {
				c.replaces(s, "it is deleted")
			}
		},
	}
}
