package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/timeline"
)

// Verdict is what one oracle says of one sample.
type Verdict struct {
	Oracle  string
	Outcome spec.Outcome
	// Message says what was expected, what was seen and when; for a pass, what was seen.
	Message string
	// Evidence are the few events that show it, one a line.
	Evidence []string
	// Unheard: it does not apply as the harness did not hear what it needs, whatever the style does.
	Unheard bool `json:",omitempty"`

	containers []string // whose ends it blames; conclude adds what their logs say of it
	open       bool     // the oracle's Later decides it, once the facts are known that it hangs on
}

// Oracle judges a sample. It may take for granted that the sample came to an
// end and that what it needs was watched without a gap.
type Oracle func(*timeline.Timeline) Verdict

// Named is an Oracle with all that is known of it.
type Named struct {
	Name  string
	Needs []timeline.Role // whose resources must have been watched without a gap
	Shows []timeline.Role // whose events show a failure for which it gives no evidence
	Judge Oracle
	// Later judges by facts that the sample's timeline does not show, and replaces what Judge says; nil: there are none.
	// False: they are not known.
	Later func(*Result) (v Verdict, known bool)
	// OfTheEnd: it judges the state at a sample's end.
	OfTheEnd bool
	// Whole: it judges what a scenario as a whole is for, the fault and its end or the
	// wrong custom resource. It says nothing of steps that stopped.
	Whole bool
	// Losing: it fails where a change is not carried out, or only after a nudge.
	Losing bool
	// Timely: it fails where what was asked for is done, and too late.
	Timely bool
	// Told: it judges only what the operator tells.
	Told bool
}

// Roles that several oracles look at.
var (
	onCustoms  = []timeline.Role{timeline.RoleCustom}
	onMains    = []timeline.Role{timeline.RoleMain}
	onWritten  = []timeline.Role{timeline.RoleCustom, timeline.RoleMain}
	onChildren = []timeline.Role{timeline.RoleMain, timeline.RoleSets, timeline.RolePods}
	onAll      = []timeline.Role{timeline.RoleCustom, timeline.RoleMain, timeline.RoleSets, timeline.RolePods}
	onPods     = []timeline.Role{timeline.RolePods}
)

// Oracles is the list of all oracles, in the order in which they are reported.
func Oracles() []Named { return slices.Clone(oracles) }

// Each is declared in its own file.
var oracles = []Named{
	convergedOracle, staysConvergedOracle, writeHistoryOracle, statusOracle, goneOracle, garbageOracle, referenceOracle,
	ledgerOracle, isolationOracle, noNeedlessWorkOracle, podsKeptOracle, healthOracle, refusedOracle, answeredOracle,
	recoversOracle, diagnosableOracle, seriesOracle, ownedOracle, untouchedOracle, calmOracle, promptOracle,
	conditionsOracle, othersKeptOracle, notTakenOracle, repairedOracle, discreetOracle, servesOracle, dataKeptOracle,
	oneLeaderOracle, growthOracle, inVainOracle,
}

// named returns an oracle by its name; false: there is none.
func named(oracle string) (Named, bool) {
	return plain.Find(oracles, func(o Named) bool { return o.Name == oracle })
}

// OracleNames lists the names that a sample may expect.
func OracleNames() []string {
	return plain.Map(oracles, func(o Named) string { return o.Name })
}

// verdicts runs the oracles that the sample expects.
func verdicts(t *timeline.Timeline) []Verdict {
	var list []Verdict
	wrote := whoWrote(t)
	for _, name := range t.Sample.Expect {
		var v Verdict
		if o, there := named(name); there {
			v = run(o, t)
		} else {
			v = Verdict{Outcome: spec.Invalid, Message: "there is no oracle of this name; there are: " + strings.Join(OracleNames(), ", ")}
		}
		if v.Oracle = name; wrote != "" && v.Outcome == spec.Fail && name != oneLeaderOracle.Name { // which says it itself
			v.Evidence = append(slices.Clip(v.Evidence), wrote)
		}
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
	case t.Stopped() && o.Whole:
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
	v.open = o.Later != nil
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

func notApplicable(format string, args ...any) Verdict {
	return Verdict{Outcome: spec.NotApplicable, Message: fmt.Sprintf(format, args...)}
}

// unheard is what an oracle says that does not apply because the harness did not hear what it needs.
func unheard(format string, args ...any) Verdict {
	v := notApplicable(format, args...)
	v.Unheard = true
	return v
}

// fail is a failure with the events that show it; nil: those of the roles that the oracle Shows.
func fail(evidence []string, format string, args ...any) Verdict {
	return Verdict{Outcome: spec.Fail, Message: fmt.Sprintf(format, args...), Evidence: evidence}
}
