package timeline

import (
	"fmt"
	"sync/atomic"
)

// A small recording can ask for much work: for expressions that match slowly, for objects that are looked through again
// and again. What judging may take is in proportion to the entries that it has read. The unit is a step: one
// instruction of an expression on one letter, some bytes in which a path is looked up, or one object or event that is
// looked at; each takes ten nanoseconds or so. Of the published recordings that with the most takes 6,000 steps for an
// entry.
const (
	someEffort  = 300_000_000 // steps that any recording may take
	entryEffort = 50_000      // further ones for each entry

	objectEffort = 4   // steps of looking at an object, and at those that own it
	beforeEffort = 200 // steps that an object which is there already means for a sample
)

// effort is what judging a recording has taken. Objects are read ahead, many at once and in any order; all else is done
// in the recording's order. A nil effort is without bound: what a run follows is its own.
type effort struct {
	begun, ahead atomic.Int64 // entries that may be read by now; steps of reading them
	taken, spent int64        // the same, of the entries up to the one whose turn it is
}

func bounded(entries int64) int64 { return someEffort + entryEffort*entries }

// begin takes note of an entry that is to be read.
func (e *effort) begin() {
	if e != nil {
		e.begun.Add(1)
	}
}

// reading reports whether so many steps may be taken to read an entry. If not, then take
// returns an error, for one of the entries that have begun at the latest.
func (e *effort) reading(steps int) bool {
	return e == nil || e.ahead.Add(int64(steps)) <= bounded(e.begun.Load())
}

// take counts an entry whose turn it is, with the steps of reading it.
func (e *effort) take(steps int) error {
	if e == nil {
		return nil
	}
	e.taken++
	e.spent += int64(steps)
	return e.err()
}

// spend reports whether so many steps more may be taken.
func (e *effort) spend(steps int) bool {
	if e == nil {
		return true
	}
	e.spent += int64(steps)
	return e.spent <= bounded(e.taken)
}

// err is an error once too much was spent: what was then found is of no use.
func (e *effort) err() error {
	if e == nil || e.spent <= bounded(e.taken) {
		return nil
	}
	return fmt.Errorf("its %d entries take more than %d steps to judge, for expressions that match slowly, or objects without number: this is no recording of a run",
		e.taken, bounded(e.taken))
}
