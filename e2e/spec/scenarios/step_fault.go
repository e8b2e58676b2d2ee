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
			var set []kind
			for _, k := range kinds() {
				if k.what(*s.Fault) != "" {
					set = append(set, k)
				}
			}
			if len(set) != 1 {
				c.fail(s.at("fault"), "a fault is of %d kinds, expected exactly one of %s", len(set), kindNames(func(kind) bool { return true }))
				return
			}
			k, what := set[0], set[0].what(*s.Fault)
			if !k.values.have(what) {
				c.fail(s.at("fault", k.name), "unknown %s %q, expected %s", k.name, what, k.values.text)
			}
			before, open := c.seen.open[k.name]
			switch {
			case open:
				c.fail(s.at("fault"), "%s is broken since line %d: mend it before it is broken again", k.name, c.line([]any{"steps", before}))
			case k.name == spec.FaultSuspend && !s.custom.been:
				c.fail(s.at("fault"), "suspend: no custom resource has been asked for, so that there is no work")
			}
			if k.lasts {
				c.seen.open[k.name] = s.index
			}
			if k.shakes {
				c.seen.shaken = fmt.Sprintf("%s %s", k.name, what)
			}
		},
	}
}
