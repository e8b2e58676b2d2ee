package run

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of several runs that drive the correctness matrix together, each
// on a cluster of its own. The zero value is the only one.
type Shard struct{ Index, Of int } // Index from 1

// MostShards is more than any machine has clusters at a time.
const MostShards = 64

// String is INDEX/OF, "" for the only one; with Set it makes Shard a flag.Value.
func (s *Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Set reads INDEX/OF.
func (s *Shard) Set(value string) error {
	index, of, cut := strings.Cut(value, "/")
	i, errIndex := strconv.Atoi(index)
	n, errOf := strconv.Atoi(of)
	if !cut || errIndex != nil || errOf != nil || i < 1 || i > n || n > MostShards {
		return fmt.Errorf("expected INDEX/OF, such as 1/3, with an index from 1 to OF and OF up to %d", MostShards)
	}
	*s = Shard{i, n}
	return nil
}
