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

	heldEvent   = 512       // bytes of an event, without its texts
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

// Weight is about how many bytes an entry takes, without a watch event's object.
func Weight(e *record.Entry) int {
	n := heldEvent
	switch {
	case e.Begin != nil:
		n += len(e.Begin.Cause) + len(e.Begin.Reason) + texts(e.Begin.Expect) + texts(e.Begin.Watches)
		n += plain.Sum(e.Begin.Others, func(o record.Other) int { return heldEvent + len(o.Namespace) + len(o.Name) })
	case e.Action != nil:
		n += len(e.Action.Object) + len(e.Action.Error)
	case e.Watch != nil:
		n += len(e.Watch.Name) + len(e.Watch.UID)
	case e.Gap != nil:
		n += len(e.Gap.Reason)
	case e.End != nil:
		n += len(e.End.Reason) + len(e.End.Await)
	case e.Usage != nil:
		for i := range e.Usage.Pods {
			n += heldEvent * (1 + len(e.Usage.Pods[i].Kept) + len(e.Usage.Pods[i].Done))
		}
	case e.Audit != nil:
		n += len(e.Audit.Name) + len(e.Audit.User) + len(e.Audit.Agent)
	case e.Closed != nil:
		n += len(e.Closed.Name) + len(e.Closed.User) + len(e.Closed.Agent)
	case e.Inventory != nil:
		n += inventoryWeight(e.Inventory)
	case e.Probe != nil:
		n += len(e.Probe.Error) + len(e.Probe.Pod)
	case e.Fault != nil:
		n += len(e.Fault.Error) + len(e.Fault.What) + texts(e.Fault.Objects)
	}
	return n
}

func texts(list []string) int {
	return plain.Sum(list, func(one string) int { return 16 + len(one) })
}
