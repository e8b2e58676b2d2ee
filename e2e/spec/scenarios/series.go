package scenarios

import (
	"fmt"
	"time"
)

// Series is custom resources that are created one after the other, whether or not those before them have been handled.
type Series struct {
	Count int           `yaml:"count"`
	Size  int           `yaml:"size"`
	Every time.Duration `yaml:"every"` // between two of them, at the least; see Pace
	// Keep is how many of them there are at a time: each is deleted when so many more have been created. 0: all stay.
	Keep int `yaml:"keep"`
	// Apart: each has a namespace of its own, which is deleted as long after the custom resource as that was there.
	Apart bool `yaml:"apart"`
}

func (s Series) text() string {
	text := fmt.Sprintf("create %d more of size %d, one every %v", s.Count, s.Size, s.Every)
	if s.Apart {
		text += ", each in a namespace of its own"
	}
	if s.Keep > 0 {
		text += fmt.Sprintf(", and delete all but the last %d", s.Keep)
	}
	return text
}

// Names are those of the custom resources of a series, as in Step.On.
func (s Series) Names() []string {
	var names []string
	for i := range s.Count {
		name := fmt.Sprintf("series-%02d", i+1)
		if s.Apart {
			name = fmt.Sprintf("s%02d/%s", i+1, name)
		}
		names = append(names, name)
	}
	return names
}

// Goes names the custom resource that is deleted once the one with this index has been created; "": none.
func (s Series) Goes(i int) string { return s.before(i, s.Keep) }

// Leaves names the one whose namespace is deleted then; "": none.
func (s Series) Leaves(i int) string {
	if !s.Apart {
		return ""
	}
	return s.before(i, 2*s.Keep)
}

func (s Series) before(i, many int) string {
	if many == 0 || i < many {
		return ""
	}
	return s.Names()[i-many]
}

// atOnce is how many reconciles of a series may be under way.
const atOnce = 10

// Pace is the time between two custom resources of a series: so much that no more
// than a few are under way, where a reconcile takes as long as typical.
func (s Series) Pace(typical time.Duration) time.Duration { return max(s.Every, typical/atOnce) }
