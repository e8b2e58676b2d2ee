package scenarios

import "operatorbench/e2e/spec"

// probeStep asks the managed system itself.
func probeStep() stepKind {
	return stepKind{
		name: spec.StepProbe, own: true, waits: true,
		is:   func(s Step) bool { return s.Probe != "" },
		text: func(s Step) string { return "let the probe " + s.Probe },
		check: func(c *checker, s step) {
			c.present(s, spec.StepProbe)
			switch {
			case s.Probe == spec.ProbeWrite:
				c.seen.written = true
			case !c.seen.written:
				c.FailAt(s.at(spec.StepProbe), "probe: read: nothing is written before: add a step probe: write")
			default:
				c.seen.read = true
			}
		},
	}
}
