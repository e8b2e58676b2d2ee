package judge

import (
	expect "operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/timeline"
)

var recoversOracle = Named{Name: "recovers", Needs: onWritten, Shows: onWritten, Judge: recovers, Whole: true, Losing: true}

// recovers judges what becomes of a fault: once what was broken is whole again, the wanted state is reached without
// anybody's help. Otherwise the message says whether a nudge helped, or what was lacking at the end.
func recovers(t *timeline.Timeline) Verdict {
	if len(t.FaultsBegun()) == 0 {
		return notApplicable("nothing was broken")
	}
	r, over := recovered(t)
	after := max(r.stood-r.from, 0)
	switch {
	case !over:
		return fail(nil, "expected the wanted state after the fault; the sample ended at %s before the fault was over: %s", t.Since(t.EndedAt), t.End.Reason)
	case r.by == expect.Never:
		return fail(nil, "expected the wanted state after the fault; never reached: at %s %s", t.Since(t.EndedAt), r.lacks)
	case r.by == expect.Nudge:
		return fail(nil, "expected the wanted state after the fault without help; reached only after a nudge, %s after it", timeline.Round(after))
	case after == 0:
		return pass("by itself, before the fault was over")
	}
	return pass("by itself, %s after the fault was over", timeline.Round(after))
}
