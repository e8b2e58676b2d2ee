package judge

import (
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var dataKeptOracle = Named{Name: "data-kept", Judge: dataKept, Whole: true}

// dataKept judges that what the probe wrote is read again.
func dataKept(t *timeline.Timeline) Verdict {
	var wrote, read *timeline.Event // the last of each
	for e := range t.All() {
		switch {
		case e.Kind != record.KindProbe:
		case e.Probe.What == spec.ProbeWrite:
			wrote = e
		case e.Probe.What == spec.ProbeRead:
			read = e
		}
	}
	switch {
	case wrote == nil || !wrote.Probe.OK && wrote.Probe.Class == record.ProbeUnasked:
		return Verdict{Outcome: spec.Invalid, Message: "the probe could not ask the managed system to keep anything"}
	case !wrote.Probe.OK:
		return fail([]string{probeLine(t, wrote)}, "expected the %s to take what the probe writes; it did not up to %s", t.Spec.Resource.Kind, t.Since(wrote.Time))
	case read == nil || read.Probe.Class == record.ProbeUnasked:
		return Verdict{Outcome: spec.Invalid, Message: "the probe could not ask the managed system for what it wrote"}
	case !read.Probe.OK:
		return fail([]string{probeLine(t, read)}, "expected what the probe wrote at %s to be there; at %s it was not", t.Since(wrote.Time), t.Since(read.Time))
	}
	return pass("what the probe wrote at %s was there at %s", t.Since(wrote.Time), t.Since(read.Time))
}
