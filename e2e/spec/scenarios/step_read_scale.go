package scenarios

// StepReadScale is the step's name in a file.
const StepReadScale = "readScale"

// readScaleStep reads the scale subresource when all is at rest.
func readScaleStep() stepKind {
	return stepKind{
		name: StepReadScale, own: true, waits: true,
		text:  func(Step) string { return "read the scale subresource" },
		check: func(c *checker, s step) { c.present(s, StepReadScale) },
	}
}
