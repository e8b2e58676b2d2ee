package usage

import (
	"context"

	"operatorbench/e2e/record"
)

// Around has each look record, too, what a function adds about the pods' surroundings. It is called before the first
// look that should have it.
func (s *Sampler) Around(read func(context.Context, *record.Usage)) {
	n := s.nodes[0] // one is enough
	n.mu.Lock()
	n.around = read
	n.mu.Unlock()
}
