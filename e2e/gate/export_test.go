package gate

// Decide is Compare without what is only for people, which takes most of its time.
func Decide(o Options, base, head, again Side) (*Result, error) {
	return decide(o, base, head, again, false)
}

// Decided is what is said of a scenario of the matrix, the only one that differs.
func Decided(base, head Tally, flaky bool) Verdict {
	s := Scenario{Base: base, Head: head, Flaky: flaky, matrix: true}
	s.decide(s.alpha(DefaultOptions().Alpha / 2))
	return s.Verdict
}
