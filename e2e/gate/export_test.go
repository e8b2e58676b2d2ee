package gate

// Decide is Compare without what is only for people, which takes most of its time.
func Decide(o Options, base, head, again Side) (*Result, error) {
	return decide(o, base, head, again, false)
}
