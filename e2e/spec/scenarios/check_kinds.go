package scenarios

import (
	"slices"

	"operatorbench/e2e/spec"
)

// What follows checks one kind of step each: whether it can follow those before it, and what it changes for those
// behind it.

func (c *checker) create(s step) {
	c.absent(s)
	s.custom.there, s.custom.been = true, true
	s.custom.change()
}

// ask checks a step that asks for another size.
func (c *checker) ask(s step) {
	c.present(s)
	s.custom.change()
	if s.is.result(s.Step).Size == 0 {
		c.replaces(s, "it is scaled to zero")
	}
}

func (c *checker) delete(s step) {
	c.present(s)
	s.custom.there = false
	s.custom.change()
	c.replaces(s, "it is deleted")
}

func (c *checker) annotate(s step) {
	c.present(s)
	s.custom.idle++
}

func (c *checker) finalize(s step) {
	switch {
	case *s.Finalize && s.custom.held:
		c.FailAt(s.at(), "finalize: the finalizer is there already")
	case *s.Finalize:
		c.present(s)
		s.custom.idle++
	case !s.custom.held:
		c.FailAt(s.at(), "finalize: a finalizer is removed that was not added")
	}
	s.custom.held = *s.Finalize
}

func (c *checker) series(s step) {
	switch {
	case c.seen.series:
		c.FailAt(s.at(), "series: there is one already, of the same names")
	case s.Series.Every <= 0 || s.Series.Every > mostBetween:
		c.FailAt(s.at("every"), "series.every is %v, expected more than 0s, to %v", s.Series.Every, mostBetween)
	case s.Series.Keep >= s.Series.Count:
		c.FailAt(s.at("keep"), "series.keep is %d, expected fewer than the %d that are created", s.Series.Keep, s.Series.Count)
	}
	c.seen.series = true
}

func (c *checker) submit(s step) {
	if s.Submit.Patch {
		c.present(s)
	} else {
		c.absent(s)
	}
	_, loose := c.seen.open[spec.FaultDefinition]
	switch {
	case s.Submit.Refused:
		c.seen.refused++
		return
	case s.On != "":
		c.FailAt(s.at(), "submit: what cannot be brought about is asked of the scenario's own custom resource only")
	case !loose:
		c.FailAt(s.at(), "submit: the workload's definition refuses it: add refused: true, or before it a step fault: {definition: tutorial}")
	}
	s.custom.there, s.custom.been = true, true
	s.custom.change()
}

func (c *checker) wrong(s step) {
	c.present(s)
	c.replaces(s, "its fields have wrong values")
}

func (c *checker) drift(s step) {
	if !s.custom.there || !s.custom.rested {
		c.FailAt(s.at(), "drift: it is not certain that there is a main child: await handled first")
	}
	c.seen.drifted = c.seen.drifted || s.Drift.Fields != nil
	switch replicas := s.Drift.Replicas; {
	case s.Drift.Pod != nil:
		c.replaces(s, "one of its pods is killed")
	case s.Drift.Pods != nil:
		c.replaces(s, "its pods are killed")
	case s.Drift.Owner != nil: // its pods stay
	case replicas == nil && s.Drift.Merge == nil:
		c.replaces(s, "its main child drifts to other pods")
	case replicas == nil: // its pods stay, unless the patch is of their template
		if _, spec := s.Drift.Merge["spec"]; spec {
			c.replaces(s, "its main child drifts to other pods")
		}
	case *replicas == 0:
		c.replaces(s, "its main child drifts to no pods")
	}
}

func (c *checker) turn(s step) {
	c.present(s)
	s.custom.change()
}

func (c *checker) pause(s step) {
	c.present(s)
	if *s.Pause == s.custom.paused {
		c.FailAt(s.at(), "pause: the custom resource is so already")
	}
	s.custom.paused = *s.Pause
}

func (c *checker) fault(s step) {
	k := KindOfFault(s.Fault.Kind)
	before, open := c.seen.open[k.Name]
	switch {
	case open:
		c.FailAt(s.at(), "%s is broken since line %d: mend it before it is broken again", k.Name, c.Line("steps", before))
	case k.Name == spec.FaultSuspend && !s.custom.been:
		c.FailAt(s.at(), "suspend: no custom resource has been asked for, so that there is no work")
	case k.Name == spec.FaultOccupy && (s.custom.there || !s.custom.been):
		c.FailAt(s.at(), "occupy: the main child's name is known of one that is gone: delete the custom resource, and await gone")
	}
	c.seen.occupied = c.seen.occupied || k.Name == spec.FaultOccupy
	if k.Lasts {
		c.seen.open[k.Name] = s.index
	}
	if k.Shakes {
		c.seen.shaken = s.Fault.Kind + " " + s.Fault.What
	}
}

func (c *checker) mend(s step) {
	if _, open := c.seen.open[s.Mend]; KindOfFault(s.Mend).Lasts && !open {
		c.FailAt(s.at(), "mend: no %s is broken at this point", s.Mend)
	}
	delete(c.seen.open, s.Mend)
}

func (c *checker) await(s step) {
	switch there := s.custom.there; {
	case s.Await == spec.PointGone && (there || s.custom.held):
		c.FailAt(s.at(), "await gone: the custom resource is still there")
	case !s.custom.been && s.Await != spec.PointStuck:
		c.FailAt(s.at(), "await %s: no custom resource has been asked for", s.Await)
	case !there && slices.Contains([]string{spec.PointWritten, spec.PointReady}, s.Await):
		c.FailAt(s.at(), "await %s: the custom resource is deleted", s.Await)
	case s.Await == spec.PointStuck:
		c.seen.stuck = true
	case s.Await == spec.PointWritten, s.Await == spec.PointReady, s.Await == spec.PointHandled:
		s.custom.rested = true
	}
}

func (c *checker) probe(s step) {
	c.present(s)
	switch {
	case s.Probe == spec.ProbeWrite:
		c.seen.written = true
	case !c.seen.written:
		c.FailAt(s.at(), "probe: read: nothing is written before: add a step probe: write")
	default:
		c.seen.read = true
	}
}
