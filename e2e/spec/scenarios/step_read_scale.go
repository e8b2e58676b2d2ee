package scenarios

import "operatorbench/e2e/spec"

// readScaleStep reads the scale subresource when all is at rest.
func readScaleStep() stepKind {
	return stepKind{
		name: spec.StepReadScale, own: true, waits: true,
		is:    func(s Step) bool { return s.ReadScale != nil },
		text:  func(Step) string { return "read the scale subresource" },
		check: func(c *checker, s step) { c.present(s, spec.StepReadScale) },
	}
}
