package usage

import "operatorbench/e2e/record"

// Machine has each look record what a function says of this machine, too. It is called before anything is looked at that
// is to be told of.
func (s *Sampler) Machine(read func() *record.Machine) {
	n := s.nodes[0] // one is enough
	n.mu.Lock()
	n.machine = read
	n.mu.Unlock()
}
