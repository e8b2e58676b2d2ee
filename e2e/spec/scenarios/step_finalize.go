package scenarios

// StepFinalize is the step's name in a file.
const StepFinalize = "finalize"

// finalizeStep adds the harness's finalizer, or removes it.
func finalizeStep() stepKind {
	return stepKind{
		name: StepFinalize,
		text: func(s Step) string {
			if *s.Finalize {
				return "add a finalizer"
			}
			return "remove the finalizer"
		},
		check: func(c *checker, s step) {
			switch {
			case *s.Finalize && s.custom.held:
				c.FailAt(s.at("finalize"), "finalize: the finalizer is there already")
			case *s.Finalize:
				c.present(s, "finalize")
				s.custom.idle++
			case !s.custom.held:
				c.FailAt(s.at("finalize"), "finalize: a finalizer is removed that was not added")
			}
			s.custom.held = *s.Finalize
		},
	}
}
