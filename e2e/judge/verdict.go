package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/timeline"
)

// Verdict is what one oracle says of one sample.
type Verdict struct {
	Oracle  string
	Outcome spec.Outcome
	// Message says what was expected, what was seen and when; for a pass,
	// what was seen.
	Message string
	// Evidence are the few events that show it, one a line.
	Evidence []string

	open bool // what it hangs on comes behind the sample: Judgement.logs or Judgement.prompt decides it
}

// Oracle judges a sample. It may take for granted that the sample came to an
// end and that what it needs was watched without a gap.
type Oracle func(*timeline.Timeline) Verdict

// Named is an Oracle with what must be known to run it.
type Named struct {
	Name  string
	Needs []timeline.Role // whose resources must have been watched without a gap
	Shows []timeline.Role // whose events show a failure for which it gives no evidence
	Judge Oracle
}

// Oracles is the list of all oracles, in the order in which they are reported.
func Oracles() []Named { return slices.Clone(oracles) }

var oracles = listOracles()

func listOracles() []Named {
	customs, mains := []timeline.Role{timeline.RoleCustom}, []timeline.Role{timeline.RoleMain}
	written := []timeline.Role{timeline.RoleCustom, timeline.RoleMain}
	children := []timeline.Role{timeline.RoleMain, timeline.RoleSets, timeline.RolePods}
	all := []timeline.Role{timeline.RoleCustom, timeline.RoleMain, timeline.RoleSets, timeline.RolePods}
	pods := []timeline.Role{timeline.RolePods}
	return []Named{
		{"converged", mains, mains, converged},
		{"stays-converged", written, mains, staysConverged},
		{"write-history", mains, mains, writeHistory},
		{"status", all, []timeline.Role{timeline.RoleCustom, timeline.RolePods}, status},
		{"gone", written, written, gone},
		{"garbage", children, children, garbage},
		{"reference", mains, mains, reference},
		{"ledger", written, written, ledger},
		{"isolation", all, written, isolation},
		{"no-needless-work", written, written, noNeedlessWork},
		{"pods-kept", children, nil, podsKept},
		{"health", pods, nil, health},
		{"refused", written, written, refused},
		{"recovers", written, written, recovers},
		{"diagnosable", append(slices.Clip(all), timeline.RoleEvents), nil, diagnosable},
		{"series", written, written, series},
		{"owned", customs, nil, owned},
		{"untouched", customs, nil, untouched},
		{"calm", nil, nil, calm},
		{promptName, written, nil, prompt},
		{discreetName, nil, nil, discreet},
	}
}

// OracleNames lists the names that a sample may expect.
func OracleNames() []string {
	var list []string
	for _, o := range oracles {
		list = append(list, o.Name)
	}
	return list
}

// verdicts runs the oracles that the sample expects.
func verdicts(t *timeline.Timeline) []Verdict {
	var list []Verdict
	for _, name := range t.Sample.Expect {
		i := slices.IndexFunc(oracles, func(o Named) bool { return o.Name == name })
		var v Verdict
		if i >= 0 {
			v = run(oracles[i], t)
		} else {
			v = Verdict{Outcome: spec.Invalid, Message: "there is no oracle of this name; there are: " + strings.Join(OracleNames(), ", ")}
		}
		v.Oracle = name
		list = append(list, v)
	}
	once(t, list)
	return list
}

// run asks an oracle, where the recording allows it to know.
func run(o Named, t *timeline.Timeline) Verdict {
	switch {
	case t.Sample.Reason != "":
		return notApplicable("%s", t.Sample.Reason)
	case t.End == nil:
		return Verdict{Outcome: spec.Invalid, Message: "the recording stops before the sample's end"}
	case t.End.Outcome == record.Interrupted:
		return Verdict{Outcome: spec.Invalid, Message: "the sample was interrupted: " + t.End.Reason}
	case t.Stopped() && unasked(o.Name):
		return notApplicable("not judged%s", stopped(t))
	case !t.Begun() && slices.Contains(scenarios.Standing(), o.Name):
		return notApplicable("the scenario's steps never began: %s", t.End.Reason)
	case !t.Begun():
		return fail(nil, "the scenario's steps never began: %s", t.End.Reason)
	}
	needs := t.Resources(o.Needs...)
	for _, need := range needs {
		if len(t.Sample.Watches) > 0 && !slices.Contains(t.Sample.Watches, need) {
			return Verdict{Outcome: spec.Invalid, Message: need + " was not watched for this sample"}
		}
	}
	if gap := t.Unheard(needs); gap != "" {
		return Verdict{Outcome: spec.Invalid, Message: gap}
	}
	v := o.Judge(t)
	if v.Outcome == spec.Fail && v.Evidence == nil && o.Shows != nil {
		v.Evidence = evidenceOf(t, of(t, o.Shows...))
	}
	if v.Outcome != spec.NotApplicable {
		v.Message += t.Interruptions(needs)
	}
	if v.Outcome == spec.Fail || v.Outcome == spec.NotApplicable {
		v.Message += stopped(t)
	}
	return v
}

func pass(format string, args ...any) Verdict {
	return Verdict{Outcome: spec.Pass, Message: fmt.Sprintf(format, args...)}
}

// undecided is not applicable, unless what comes behind the sample decides it.
func undecided(format string, args ...any) Verdict {
	v := notApplicable(format, args...)
	v.open = true
	return v
}

func notApplicable(format string, args ...any) Verdict {
	return Verdict{Outcome: spec.NotApplicable, Message: fmt.Sprintf(format, args...)}
}

// fail is a failure with the events that show it; nil: those of what the oracle Shows.
func fail(evidence []string, format string, args ...any) Verdict {
	return Verdict{Outcome: spec.Fail, Message: fmt.Sprintf(format, args...), Evidence: evidence}
}
