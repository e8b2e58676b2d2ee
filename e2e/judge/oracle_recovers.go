package judge

import "operatorbench/e2e/record"

// recovers judges what becomes of a fault: once what was broken is whole again,
// the wanted state is reached without anybody's help. Otherwise the message says
// whether a nudge helped, or what was lacking at the end.
func recovers(t *Timeline) Verdict {
	if len(t.broken()) == 0 {
		return notApplicable("nothing was broken")
	}
	evidence := func() []string {
		return t.evidence(func(e *Event) bool { return e.Kind == record.KindFault || of(CustomResources, Deployments)(e) })
	}
	r, over := t.recovered()
	switch {
	case !over:
		return fail(evidence(), "expected the wanted state after the fault; the sample ended at %s before the fault was over: %s", t.since(t.EndedAt), t.End.Reason)
	case r.how == Never:
		return fail(evidence(), "expected the wanted state after the fault; never reached: at %s %s", t.since(t.EndedAt), r.lacks)
	case r.how == Nudged:
		return fail(evidence(), "expected the wanted state after the fault without help; reached only after a nudge, %s after it", round(r.after))
	case r.after == 0:
		return pass("by itself, before the fault was over")
	}
	return pass("by itself, %s after the fault was over", round(r.after))
}
