package gate

import "operatorbench/e2e/stat"

// Decide is Compare without what is only for people, which takes most of its time.
func Decide(o Options, base, head, again Side) (*Result, error) {
	return decide(o, base, head, again, false)
}

// LooksOf are the rounds after which so many planned ones are looked at.
func LooksOf(planned int) []int { return stat.Looks(planned) }

// Decided is what is said of a scenario of the matrix, the only one that differs.
func Decided(base, head Tally, flaky bool) Verdict {
	s := Scenario{Base: base, Head: head, Flaky: flaky, matrix: true}
	s.decide(s.alpha(DefaultOptions().Alpha / 2))
	return s.Verdict
}
