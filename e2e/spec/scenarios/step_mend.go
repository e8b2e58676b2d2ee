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
			k, known := kindOf(s.Mend)
			_, open := c.seen.open[s.Mend]
			switch {
			case !known:
				c.fail(s.at("mend"), "mend: unknown kind of fault %q, expected one of %s", s.Mend, kindNames(func(k kind) bool { return k.lasts }))
			case !k.lasts:
				c.fail(s.at("mend"), "mend: %s is over at once: there is nothing to mend", s.Mend)
			case !open:
				c.fail(s.at("mend"), "mend: no %s is broken at this point", s.Mend)
			}
			delete(c.seen.open, s.Mend)
		},
	}
}
