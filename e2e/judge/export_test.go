package judge

// Known counts what a Splitter holds of objects.
func (s *Splitter) Known() int {
	n := len(s.inner)
	for _, objects := range s.known {
		n += len(objects)
	}
	return n
}
