package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// faultStep breaks something.
func faultStep() stepKind {
	return stepKind{
		name: spec.StepFault, own: true, waits: true,
		is: func(s Step) bool { return s.Fault != nil },
		text: func(s Step) string {
			kind, what := s.Fault.Kind()
			return kind + " " + what
		},
		check: func(c *checker, s step) {
			name, what := s.Fault.Kind()
			k, _ := kindOf(name)
			before, open := c.seen.open[k.name]
			switch {
			case open:
				c.FailAt(s.at("fault"), "%s is broken since line %d: mend it before it is broken again", k.name, c.Line("steps", before))
			case k.name == spec.FaultSuspend && !s.custom.been:
				c.FailAt(s.at("fault"), "suspend: no custom resource has been asked for, so that there is no work")
			case k.name == spec.FaultOccupy && (s.custom.there || !s.custom.been):
				c.FailAt(s.at("fault"), "occupy: the main child's name is known of one that is gone: delete the custom resource, and await gone")
			}
			c.seen.occupied = c.seen.occupied || k.name == spec.FaultOccupy
			if k.lasts {
				c.seen.open[k.name] = s.index
			}
			if k.shakes {
				c.seen.shaken = fmt.Sprintf("%s %s", k.name, what)
			}
		},
	}
}
