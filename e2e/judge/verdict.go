package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// Outcome is what an oracle says of a sample.
type Outcome string

// The outcomes of a verdict.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	NotApplicable Outcome = "not applicable" // by the style's own declaration, or for this kind of sample
	Invalid       Outcome = "invalid"        // the bed or the recording broke, not the style
)

// What only samples and sums of them can be.
const (
	// Late is a sample that was given up when its time was over, and of which no
	// oracle says more: a load that a style is behind with, work that never ends.
	Late  Outcome = "late"
	Flaky Outcome = "flaky" // some samples passed and some failed
)

// Verdict is what one oracle says of one sample.
type Verdict struct {
	Oracle  string
	Outcome Outcome
	// Message says what was expected, what was seen and when; for a pass,
	// what was seen.
	Message string
	// Evidence are the few events that show it, one a line.
	Evidence []string
}

// Oracle judges a sample. It may take for granted that the sample came to an
// end and that what it needs was watched without a gap.
type Oracle func(*Timeline) Verdict

// Named is an Oracle with what must be known to run it.
type Named struct {
	Name  string
	Needs []string // resources that must have been watched without a gap
	Judge Oracle
}

// Oracles is the list of all oracles, in the order in which they are reported.
func Oracles() []Named {
	return []Named{
		{"converged", []string{Deployments}, converged},
		{"stays-converged", []string{Deployments, CustomResources}, staysConverged},
		{"write-history", []string{Deployments}, writeHistory},
		{"status", []string{CustomResources, Deployments, ReplicaSets, Pods}, status},
		{"gone", []string{CustomResources, Deployments}, gone},
		{"garbage", []string{Deployments, ReplicaSets, Pods}, garbage},
		{"reference", []string{Deployments}, reference},
		{"ledger", []string{CustomResources, Deployments}, ledger},
		{"isolation", []string{CustomResources, Deployments, ReplicaSets, Pods}, isolation},
		{"no-needless-work", []string{CustomResources, Deployments}, noNeedlessWork},
		{"pods-kept", []string{Deployments, ReplicaSets, Pods}, podsKept},
		{"health", []string{Pods}, health},
		{"refused", []string{CustomResources, Deployments}, refused},
		{"recovers", []string{CustomResources, Deployments}, recovers},
		{"diagnosable", []string{CustomResources, Deployments, ReplicaSets, Pods, Events}, diagnosable},
		{"series", []string{CustomResources, Deployments}, series},
		{"owned", []string{CustomResources}, owned},
		{"untouched", []string{CustomResources}, untouched},
		{"calm", nil, calm},
		{promptName, []string{CustomResources, Deployments}, prompt},
		{discreetName, nil, discreet},
	}
}

// OracleNames lists the names that a sample may expect.
func OracleNames() []string {
	var list []string
	for _, o := range Oracles() {
		list = append(list, o.Name)
	}
	return list
}

// verdicts runs the oracles that the sample expects.
func verdicts(t *Timeline) []Verdict {
	var list []Verdict
	oracles := Oracles()
	for _, name := range t.Sample.Expect {
		i := slices.IndexFunc(oracles, func(o Named) bool { return o.Name == name })
		var v Verdict
		if i >= 0 {
			v = run(oracles[i], t)
		} else {
			v = Verdict{Outcome: Invalid, Message: "there is no oracle of this name; there are: " + strings.Join(OracleNames(), ", ")}
		}
		v.Oracle = name
		list = append(list, v)
	}
	t.once(list)
	return list
}

// run asks an oracle, where the recording allows it to know.
func run(o Named, t *Timeline) Verdict {
	switch {
	case t.Sample.Reason != "":
		return notApplicable("%s", t.Sample.Reason)
	case t.End == nil:
		return Verdict{Outcome: Invalid, Message: "the recording stops before the sample's end"}
	case t.End.Outcome == record.Interrupted:
		return Verdict{Outcome: Invalid, Message: "the sample was interrupted: " + t.End.Reason}
	case t.stoppedAt() != "" && unasked(o.Name):
		return notApplicable("not judged%s", t.stopped())
	case !t.begun() && slices.Contains(scenarios.Standing(), o.Name):
		return notApplicable("the scenario's steps never began: %s", t.End.Reason)
	case !t.begun():
		return fail(nil, "the scenario's steps never began: %s", t.End.Reason)
	}
	for _, need := range o.Needs {
		if len(t.Sample.Watches) > 0 && !slices.Contains(t.Sample.Watches, need) {
			return Verdict{Outcome: Invalid, Message: need + " was not watched for this sample"}
		}
	}
	if gap := t.blind(o.Needs); gap != "" {
		return Verdict{Outcome: Invalid, Message: gap}
	}
	v := o.Judge(t)
	if v.Outcome != NotApplicable {
		v.Message += t.interruptions(o.Needs)
	}
	if v.Outcome == Fail || v.Outcome == NotApplicable {
		v.Message += t.stopped()
	}
	return v
}

func pass(format string, args ...any) Verdict {
	return Verdict{Outcome: Pass, Message: fmt.Sprintf(format, args...)}
}

func notApplicable(format string, args ...any) Verdict {
	return Verdict{Outcome: NotApplicable, Message: fmt.Sprintf(format, args...)}
}

// fail is a failure with the events that show it.
func fail(evidence []string, format string, args ...any) Verdict {
	return Verdict{Outcome: Fail, Message: fmt.Sprintf(format, args...), Evidence: evidence}
}
