package scenarios

import "operatorbench/e2e/spec"

// StepFault is the step's name in a file.
const StepFault = "fault"

// faultStep breaks something.
func faultStep() stepKind {
	return stepKind{
		name: StepFault, own: true, waits: true,
		text: func(s Step) string { return s.Fault.Kind + " " + s.Fault.What },
		check: func(c *checker, s step) {
			k := KindOfFault(s.Fault.Kind)
			before, open := c.seen.open[k.Name]
			switch {
			case open:
				c.FailAt(s.at("fault"), "%s is broken since line %d: mend it before it is broken again", k.Name, c.Line("steps", before))
			case k.Name == spec.FaultSuspend && !s.custom.been:
				c.FailAt(s.at("fault"), "suspend: no custom resource has been asked for, so that there is no work")
			case k.Name == spec.FaultOccupy && (s.custom.there || !s.custom.been):
				c.FailAt(s.at("fault"), "occupy: the main child's name is known of one that is gone: delete the custom resource, and await gone")
			}
			c.seen.occupied = c.seen.occupied || k.Name == spec.FaultOccupy
			if k.Lasts {
				c.seen.open[k.Name] = s.index
			}
			if k.Shakes {
				c.seen.shaken = s.Fault.Kind + " " + s.Fault.What
			}
		},
	}
}
