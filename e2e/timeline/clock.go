package timeline

import (
	"errors"
	"fmt"
	"time"

	"operatorbench/e2e/record"
)

// clock follows the recorder's clock, which never runs back. Entries stand in the order in which they were written, and
// each has its time from before: so only those that one goroutine writes are in the order of their times. Those are the
// harness's of one namespace, blocks, the audit log, and the events of one object, which remember looks at.
type clock struct {
	blocks, audit time.Duration
	acts          map[string]time.Duration // by place of samples
}

// check refuses an entry whose times cannot be: it would make latencies below zero.
// placeOf is that of the sample that an action may be of; "": none.
func (c *clock) check(e *record.Entry, placeOf func(*record.Action) string) error {
	if err := checkTimes(e); err != nil {
		return err
	}
	switch {
	case e.Block != nil:
		return advance(&c.blocks, e.Time)
	case e.Audit != nil, e.Closed != nil:
		return advance(&c.audit, e.Time)
	case e.Begin != nil:
		return c.act(e.Begin.Place(), e.Time)
	case e.End != nil:
		return c.act(e.End.Place(), e.Time)
	case e.Action != nil:
		if place := placeOf(e.Action); place != "" {
			return c.act(place, e.Time)
		}
	}
	return nil
}

func (c *clock) act(namespace string, now time.Duration) error {
	last := c.acts[namespace]
	err := advance(&last, now)
	c.acts[namespace] = last
	return err
}

// advance is an error where a time is before the last one.
func advance(last *time.Duration, now time.Duration) error {
	if now < *last {
		return fmt.Errorf("the clock runs back by %s: what it follows is of %s", *last-now, *last)
	}
	*last = now
	return nil
}

// checkTimes compares the times within an entry.
func checkTimes(e *record.Entry) error {
	bad := func(from time.Duration) bool { return from < 0 || from > e.Time }
	switch {
	case e.Time < 0,
		e.Begin != nil && min(e.Begin.Timeout, e.Begin.Window, e.Begin.Patience) < 0,
		e.Held != nil && e.Held.Waited < 0:
		return errors.New("a time below zero")
	case e.Action != nil && bad(e.Action.From):
		return fmt.Errorf("its request began at %s, expected a time before its answer", e.Action.From)
	case e.Action != nil && bad(e.Action.Intended):
		return fmt.Errorf("it was due at %s, expected a time before its answer", e.Action.Intended)
	case e.Fault != nil && bad(e.Fault.From):
		return fmt.Errorf("its request began at %s, expected a time before its answer", e.Fault.From)
	case e.Probe != nil && bad(e.Probe.From):
		return fmt.Errorf("its question began at %s, expected a time before its answer", e.Probe.From)
	case e.Gap != nil && bad(e.Gap.From):
		return fmt.Errorf("it began at %s, expected a time before its end", e.Gap.From)
	}
	return nil
}
