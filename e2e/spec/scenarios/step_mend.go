package scenarios

// StepMend is the step's name in a file.
const StepMend = "mend"

// mendStep makes whole what a kind of fault broke.
func mendStep() stepKind {
	return stepKind{
		name: StepMend, own: true, waits: true,
		text: func(s Step) string { return "mend " + s.Mend },
		check: func(c *checker, s step) {
			if _, open := c.seen.open[s.Mend]; KindOfFault(s.Mend).Lasts && !open {
				c.FailAt(s.at("mend"), "mend: no %s is broken at this point", s.Mend)
			}
			delete(c.seen.open, s.Mend)
		},
	}
}
