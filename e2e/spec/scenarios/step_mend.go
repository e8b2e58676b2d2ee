package scenarios

import (
	"operatorbench/e2e/spec"
)

// mendStep makes whole what a kind of fault broke.
func mendStep() stepKind {
	return stepKind{
		name: spec.StepMend, own: true, waits: true,
		is:   func(s Step) bool { return s.Mend != "" },
		text: func(s Step) string { return "mend " + s.Mend },
		check: func(c *checker, s step) {
			k, _ := kindOf(s.Mend)
			if _, open := c.seen.open[s.Mend]; k.lasts && !open {
				c.FailAt(s.at("mend"), "mend: no %s is broken at this point", s.Mend)
			}
			delete(c.seen.open, s.Mend)
		},
	}
}
