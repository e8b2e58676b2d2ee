package judge

import (
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var dataKeptOracle = Named{Name: "data-kept", Judge: dataKept, Whole: true}

// dataKept judges that what the probe wrote is read again, each time. It is asked again and again until the answer is
// right: what came last before something else was written, or at all, counts.
func dataKept(t *timeline.Timeline) Verdict {
	var wrote, read *timeline.Event // the last of each
	var kept *timeline.Event        // what was written before the last was read
	lost := func() bool { return read != nil && !read.Probe.OK && read.Probe.Class != record.ProbeUnasked }
	for e := range t.All() {
		switch {
		case e.Kind != record.KindProbe || e.Probe.What == spec.ProbeAsk:
		case e.Probe.What == spec.ProbeRead:
			if wrote != nil {
				read, kept = e, wrote
			}
		case lost():
			return dataLost(t, kept, read)
		default:
			wrote = e
		}
	}
	switch {
	case wrote == nil || !wrote.Probe.OK && wrote.Probe.Class == record.ProbeUnasked:
		return Verdict{Outcome: spec.Invalid, Message: "the probe could not ask the managed system to keep anything"}
	case !wrote.Probe.OK:
		return fail([]string{probeLine(t, wrote)}, "expected the %s to take what the probe writes; it did not up to %s", t.Spec.Resource.Kind, t.Since(wrote.Time))
	case read == nil || read.Probe.Class == record.ProbeUnasked:
		return Verdict{Outcome: spec.Invalid, Message: "the probe could not ask the managed system for what it wrote"}
	case lost():
		return dataLost(t, kept, read)
	}
	return pass("what the probe wrote at %s was there at %s", t.Since(kept.Time), t.Since(read.Time))
}

func dataLost(t *timeline.Timeline, wrote, read *timeline.Event) Verdict {
	return fail([]string{probeLine(t, read)}, "expected what the probe wrote at %s to be there; at %s it was not", t.Since(wrote.Time), t.Since(read.Time))
}
