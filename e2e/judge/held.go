package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// Released is the oracle that fails where an operator has not let go of a custom resource. No scenario names it: it is
// judged of every sample, once all have ended, and says nothing where there is nothing to blame.
const Released = "released"

// HeldMessage says what was not released.
func HeldMessage(h *record.Held) string {
	return fmt.Sprintf("the custom resource %s/%s was deleted while %s still ran, and was held by its finalizers (%s) for %s: the harness has removed them by force",
		h.Namespace, h.Name, record.Label(h.Style, h.Variant), strings.Join(h.Finalizers, ", "), timeline.Round(h.Waited))
}

// held blames a custom resource that was not released on the last sample of its namespace, or where that has none which
// is judged, on the style's last.
func (j *Judgement) held(h *record.Held) {
	var blamed *Result
	for i := range j.Results {
		r := &j.Results[i]
		if r.Style != h.Style || r.Variant != h.Variant {
			continue
		}
		if blamed != nil && blamed.Namespace == h.Namespace+"/"+h.Name {
			break
		}
		if blamed == nil || r.where.Covers(h.Namespace) || !blamed.where.Covers(h.Namespace) {
			blamed = r
		}
	}
	if blamed == nil {
		j.Warnings = append(j.Warnings, HeldMessage(h))
		return
	}
	if j.late(blamed) {
		text := fmt.Sprintf("%s was late in %s when its custom resources were deleted: from those that it did not release in time the harness has removed the finalizers",
			record.Label(h.Style, h.Variant), blamed.Scenario)
		if !slices.Contains(j.Warnings, text) {
			j.Warnings = append(j.Warnings, text)
		}
		return
	}
	blamed.facts.held = append(blamed.facts.held, h)
}

// late reports whether a sample is of a load whose time was over before its operator had handled it: what is to be
// deleted then comes after all that waits.
func (j *Judgement) late(of *Result) bool {
	for i := range j.Results {
		if r := &j.Results[i]; r.End == record.TimedOut && r.where.Load && r.Scenario == of.Scenario && r.Style == of.Style && r.Variant == of.Variant && r.Round == of.Round {
			return true
		}
	}
	return false
}

// release adds what was not released: to the first failure, which keeps its reasons, or as a failure of its own.
func release(verdicts []Verdict, held []*record.Held) []Verdict {
	for _, h := range held {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Outcome == spec.Fail })
		if i < 0 {
			v := fail(nil, "expected the operator to release what it holds; %s", HeldMessage(h))
			v.Oracle = Released
			verdicts = append(verdicts, v)
			continue
		}
		verdicts[i].Message += "; " + HeldMessage(h)
	}
	return verdicts
}
