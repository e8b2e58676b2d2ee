package usage

import (
	"context"

	"operatorbench/e2e/record"
)

// Around has each look record what a function adds of what is around the pods, too. It is called before anything is
// looked at that is to be told of.
func (s *Sampler) Around(read func(context.Context, *record.Usage)) {
	n := s.nodes[0] // one is enough
	n.mu.Lock()
	n.around = read
	n.mu.Unlock()
}
