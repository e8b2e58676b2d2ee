package timeline

import (
	"fmt"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// A recording may have been made to harm who judges it: a compressed one of some megabytes can hold a hundred
// gigabytes. What is held of it at once is bounded, far beyond what a run brings about.
const (
	mostPhases   = 2_000     // phases and kinds of work in a header
	MostResults  = 250_000   // samples
	mostOpen     = 10_000    // samples that are open at once
	mostObjects  = 200_000   // objects that are there at once
	mostMatched  = 1_000     // custom resources of a sample, times kinds of work
	mostHeld     = 512 << 20 // bytes of the samples that are open
	mostUsual    = 2_000     // texts of a style that are said where nothing is wrong
	longestUsual = 4 << 10   // bytes of such a text
	mostAhead    = 32 << 20  // bytes that were read and are not yet judged; one entry may be larger

	heldEvent   = 512       // bytes of an event, without its text
	heldMatcher = 128 << 10 // bytes of an expression that tells a custom resource's work
)

// checkPhases refuses a header with more to look for than any run has.
func checkPhases(h *record.Header) error {
	n := plain.Sum(h.Styles, func(s record.Style) int {
		return 1 + plain.Sum(s.Phases, func(p spec.Phase) int { return 1 + len(p.Where) }) + plain.Sum(s.Work, func(w spec.Work) int { return 1 + len(w.Messages) })
	})
	if n > mostPhases {
		return fmt.Errorf("its styles have %d phases and kinds of work, with their conditions, expected at most %d: this is no recording of a run", n, mostPhases)
	}
	return nil
}

// checkHeld is an error once more is held than of any run.
func (s *Splitter) checkHeld() error {
	switch {
	case len(s.open) > mostOpen:
		return fmt.Errorf("more than %d samples are open: this is no recording of a run", mostOpen)
	case len(s.now) > mostOpen:
		return fmt.Errorf("more than %d namespaces are in use at once: this is no recording of a run", mostOpen)
	case s.Objects() > mostObjects:
		return fmt.Errorf("more than %d objects are there: this is no recording of a run", mostObjects)
	case s.held > mostHeld:
		return fmt.Errorf("more than %d MB of events of samples that are open: this is no recording of a run", mostHeld>>20)
	}
	return nil
}
