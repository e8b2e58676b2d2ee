package matrix

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/judge"
)

// How a style recovered from a fault.
const (
	Itself = "itself" // nobody had to touch anything
	Nudge  = "nudge"  // only once the custom resource was touched
	Never  = "never"
)

// Recoveries lists how a style can recover from a fault.
func Recoveries() []string { return []string{Itself, Nudge, Never} }

// Recovery is how a style recovered over the repeats of a fault.
type Recovery struct {
	Itself, Nudge, Never int // how many repeats did so
	// After are the times from the end of the last fault until what was wanted
	// was reached, of the repeats that recovered by themselves, in order of size.
	After []time.Duration
}

// add takes one more repeat.
func (r *Recovery) add(one judge.Recovery) {
	switch one.By {
	case Itself:
		r.Itself++
		at, _ := slices.BinarySearch(r.After, one.After)
		r.After = slices.Insert(r.After, at, one.After)
	case Nudge:
		r.Nudge++
	default:
		r.Never++
	}
}

// By is how all repeats recovered; where they differ, it counts them.
func (r *Recovery) By() string {
	var parts []string
	counts := []int{r.Itself, r.Nudge, r.Never}
	for i, n := range counts {
		if n == r.Itself+r.Nudge+r.Never {
			return Recoveries()[i]
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d×", Recoveries()[i], n))
		}
	}
	return strings.Join(parts, ", ")
}

// Median is the middle of After, of an even number the lower of the two in the
// middle: always a time that was seen. False: there is none.
func (r *Recovery) Median() (time.Duration, bool) {
	if len(r.After) == 0 {
		return 0, false
	}
	return r.After[(len(r.After)-1)/2], true
}

// Range is the shortest and the longest of After, which must not be empty.
func (r *Recovery) Range() (shortest, longest time.Duration) {
	return r.After[0], r.After[len(r.After)-1]
}
