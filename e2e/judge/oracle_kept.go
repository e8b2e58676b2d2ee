package judge

// podsKept judges that the workload outlives what is done to its operator: the
// pods that ran when the first fault began (without one: when the steps began)
// run at the end, too, with the same uids. Where fewer are wanted, as many of
// them are left as are wanted.
func podsKept(t *Timeline) Verdict {
	if t.Sample.Size == nil {
		return notApplicable("the custom resource is to be gone")
	}
	from, when := t.stepsBegan(), "the steps began"
	if faults := t.broken(); len(faults) > 0 {
		from, when = faults[0].From, "the fault began"
	}
	before := t.stateAt(from).runningPods()
	if len(before) == 0 {
		return notApplicable("no pod ran when %s", when)
	}
	now := map[string]bool{}
	for _, p := range t.runningPods() {
		now[p.UID] = true
	}
	var lost []*Object
	for _, p := range before {
		if !now[p.UID] {
			lost = append(lost, p)
		}
	}
	if may := max(len(before)-*t.Sample.Size, 0); len(lost) > may {
		of := map[string]bool{}
		for _, p := range lost {
			of[p.UID] = true
		}
		return fail(t.evidence(func(e *Event) bool { return e.Object != nil && of[e.Object.UID] && e.Watch.Resource == Pods }),
			"expected %s that ran when %s (%s) to run on, but for %d; %s did not at %s: %s",
			plural(len(before), "pod"), when, t.since(from), may, plural(len(lost), "pod"), t.since(t.EndedAt), names(lost))
	}
	return pass("%s of the %s that ran when %s ran at %s", plural(len(before)-len(lost), "pod"), plural(len(before), "pod"), when, t.since(t.EndedAt))
}

// runningPods are the child's pods that run and are to run on.
func (t *Timeline) runningPods() []*Object {
	var running []*Object
	for _, p := range t.childPods() {
		if p.Phase == "Running" && !p.Deleting {
			running = append(running, p)
		}
	}
	return running
}
