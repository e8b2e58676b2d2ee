package scenarios

import "operatorbench/e2e/spec"

// StepProbe is the step's name in a file.
const StepProbe = "probe"

// probeStep asks the managed system itself.
func probeStep() stepKind {
	return stepKind{
		name: StepProbe, own: true, waits: true,
		text: func(s Step) string { return "let the probe " + s.Probe },
		check: func(c *checker, s step) {
			c.present(s, StepProbe)
			switch {
			case s.Probe == spec.ProbeWrite:
				c.seen.written = true
			case !c.seen.written:
				c.FailAt(s.at(StepProbe), "probe: read: nothing is written before: add a step probe: write")
			default:
				c.seen.read = true
			}
		},
	}
}
