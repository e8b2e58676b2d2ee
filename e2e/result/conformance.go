package result

import (
	"cmp"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Conformance is what a style is found to do of one thing that every operator is held to.
type Conformance struct {
	Asked   string       // what it is
	Outcome spec.Outcome // pass, fail, or not applicable: the style declares not to do it, or was not asked
	// Why is the style's reason for its declaration, where it failed, or that it was not asked.
	Why string
	// Unasked: no sample was judged by it, or the style does not say why it does not do it.
	Unasked bool
}

const notAsked = "not asked"

// asked is one thing that every style is held to.
type asked struct {
	name      string
	text      string // what it is, in a line
	declared  func(spec.Declares) (offered bool, reason string)
	oracles   []string
	scenarios []string // in which they must pass; none: in all
}

// conformance lists what every style is held to, in the order in which it is shown.
func conformance() []asked {
	all := func(names ...string) func(spec.Declares) (bool, string) {
		return func(d spec.Declares) (bool, string) {
			for _, name := range names {
				if offered, reason := d.Status.Field(name); !offered {
					return false, reason
				}
			}
			return true, ""
		}
	}
	some := func(names ...string) func(spec.Declares) (bool, string) {
		return func(d spec.Declares) (offered bool, reason string) {
			for _, name := range names {
				if offered, reason = d.Status.Field(name); offered {
					return true, ""
				}
			}
			return false, reason
		}
	}
	always := func(spec.Declares) (bool, string) { return true, "" }
	of := func(pick func(spec.Declares) spec.Declaration) func(spec.Declares) (bool, string) {
		return func(d spec.Declares) (bool, string) { return pick(d).Supported, pick(d).Reason }
	}
	return []asked{
		{"owner", "what it makes has an owner reference with the right flags", of(func(d spec.Declares) spec.Declaration { return d.OwnerReferences }), []string{"owned"}, nil},
		{"status", "its status is right in each field that it offers: observedGeneration, conditions, the names of the pods", some(spec.StatusObservedGeneration, spec.StatusConditions, spec.StatusNodes), []string{"status"}, nil},
		{"scale", "the scale subresource reads and sets the size", all(spec.StatusReplicas, spec.StatusSelector), []string{"status", "converged"}, []string{"scaled-by-subresource"}},
		{"drift", "it undoes what others change in what it makes", of(func(d spec.Declares) spec.Declaration { return d.DriftRepair }), []string{"converged"}, []string{"drift-replicas", "drift-image", "drift-deleted"}},
		{"calm", "it writes nothing while nothing changes", always, []string{"calm", "no-needless-work"}, nil},
	}
}

// ConformanceNames are the names of the demands on every style.
func ConformanceNames() []string {
	return plain.Map(conformance(), func(a asked) string { return a.name })
}

// Conformance says which of the demands on every style a style meets, by what it declares and by its verdicts. What it
// declares not to do is never a failure here; the matrix judges it as it judges everybody. None: nobody was driven for
// verdicts alone, or what the style declares is not known.
func (r *Set) Conformance(label string) []Conformance {
	declares := r.Header(label).Declares
	if !declares.OwnerReferences.Known() || !r.Matrix.Correctness() {
		return nil
	}
	var all []Conformance
	for _, a := range conformance() {
		c := Conformance{Asked: a.name, Outcome: spec.NotApplicable}
		if offered, reason := a.declared(declares); !offered {
			c.Why, c.Unasked = cmp.Or(reason, notAsked), reason == ""
		} else {
			c.Outcome, c.Why = a.found(r.Matrix.Cells(label))
			c.Unasked = c.Outcome == spec.NotApplicable
		}
		all = append(all, c)
	}
	return all
}

// found sums up the verdicts on what is asked.
func (a asked) found(cells []*Cell) (outcome spec.Outcome, why string) {
	passed := 0
	var failed []string
	for _, cell := range cells {
		if len(a.scenarios) > 0 && !slices.Contains(a.scenarios, cell.Scenario) {
			continue
		}
		for _, sample := range cell.Results {
			for _, verdict := range sample.Verdicts {
				switch {
				case !slices.Contains(a.oracles, verdict.Oracle):
				case verdict.Outcome == spec.Pass:
					passed++
				case verdict.Outcome == spec.Fail && !slices.Contains(failed, cell.Scenario):
					failed = append(failed, cell.Scenario)
				}
			}
		}
	}
	switch {
	case len(failed) > 0:
		return spec.Fail, plain.Some(failed, 2)
	case passed == 0:
		return spec.NotApplicable, notAsked
	}
	return spec.Pass, plain.Plural(passed, "verdict")
}
