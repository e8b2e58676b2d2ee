package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/spec/workloads"
)

// job is what is to be driven: which styles, through which scenarios.
type job struct {
	*console
	options      Options
	root         string // of the repository
	folder       string // of the results
	id           string
	workload     *workloads.Workload // of all of its styles
	participants []*participant      // the floor first, where the workload has one
	scenarios    []scenarios.Scenario
	warmup       []scenarios.Scenario
	base         *base // nil: nothing is compared with a base
	comparisons  []*comparison
}

// check refuses styles that could not be installed, or should not be.
func (j *job) check(all []*styles.Style) error {
	catalogue, err := images.Load(j.root)
	if err != nil {
		return err
	}
	if err := errors.Join(styles.Check(catalogue, all...), styles.CheckCluster(catalogue, all...)); err != nil {
		return err
	}
	return asked(j.options.Given.check(catalogue, all))
}

// warmup is the scenario that a style goes through when it has just been installed, before anything is measured.
const warmup = "create"

// warmupOf is what a participant warms up with: a style that has just been installed needs it, unless it says why not.
func (j *job) warmupOf(p *participant) []scenarios.Scenario {
	if p.operator == nil || p.operator.Warmup.Skip != "" {
		return nil
	}
	return j.warmup
}

// operatorNames are the styles that are asked for; a folder is named by its absolute path, whatever the working folder
// is.
func operatorNames(here, list string) []string {
	return plain.Map(strings.Split(list, ","), func(name string) string {
		if styles.IsPath(name) {
			return under(here, name)
		}
		return name
	})
}

// here is the folder from which paths are.
func (j *job) here() string { return j.options.here(j.root) }

// Styles are the labels of the participants that were asked for: the floor is one of them only if it was named.
func (j *job) Styles() []string {
	return plain.Map(j.asked(), func(p *participant) string { return p.label() })
}

// asked are the participants that were asked for.
func (j *job) asked() []*participant {
	return slices.DeleteFunc(slices.Clone(j.participants), func(p *participant) bool { return p.asked == nil })
}

// Folder is where the results go.
func (j *job) Folder() string { return j.folder }

// Scenarios are the names of the scenarios, in their order.
func (j *job) Scenarios() []string {
	return plain.Map(j.scenarios, func(scenario scenarios.Scenario) string { return scenario.Name })
}

// Drives reports whether a scenario is this run's to drive against a style: other shards have theirs.
func (j *job) Drives(style, scenario string) bool {
	return slices.ContainsFunc(j.turns(), func(t turn) bool {
		return t.participant.label() == style && slices.Contains(namesOf(t.plan.Scenarios), scenario)
	})
}

// Keep leaves only the styles and scenarios for which keep is true.
func (j *job) Keep(keep func(style, scenario string) bool) {
	some := func(p *participant) bool {
		return slices.ContainsFunc(j.scenarios, func(scenario scenarios.Scenario) bool { return keep(p.label(), scenario.Name) })
	}
	floor := j.floor()
	if floor != nil && !some(floor) {
		floor.asked = nil
	}
	j.participants = slices.DeleteFunc(slices.Clone(j.participants), func(p *participant) bool { return p != floor && !some(p) })
	j.scenarios = slices.DeleteFunc(j.scenarios, func(scenario scenarios.Scenario) bool {
		return !slices.ContainsFunc(j.asked(), func(p *participant) bool { return keep(p.label(), scenario.Name) })
	})
}

// roundsToShow are enough for orders of magnitude, not for small differences.
const roundsToShow = 5

// passes is how often a block of a participant goes through the scenarios.
func (j *job) passes(p *participant) int {
	switch {
	case j.base != nil && p.operator == nil:
		return 1 // the gate does not compare the floor
	case j.options.Passes > 0:
		return j.options.Passes
	}
	if c := p.comparison; c != nil && c.passes > 0 {
		return c.passes
	}
	return max(p.passes, 1)
}

// pick returns the scenarios of a --scenario value, in their own order, bound to a workload.
func pick(w *workloads.Workload, value string) ([]scenarios.Scenario, error) {
	all, err := scenarios.Of(w, judge.OracleNames())
	if err != nil {
		return nil, fmt.Errorf("load the scenarios: %w", err)
	}
	known := slices.Concat(spec.Groups(), namesOf(all), []string{matrixName, styles.All})
	wanted := strings.Split(value, ",")
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			if meant := schema.Suggestion(name, known); meant != "" {
				return nil, asked(fmt.Errorf("--scenario=%s: there is no scenario or group %q%s", value, name, meant))
			}
			return nil, asked(fmt.Errorf("--scenario=%s: there is no scenario or group %q; there are the groups %s, %s (all but %s and %s) and %s, and: %s",
				value, name, strings.Join(spec.Groups(), ", "), matrixName, spec.GroupLatency, spec.GroupLoad, styles.All, strings.Join(namesOf(all), ", ")))
		}
	}
	return slices.DeleteFunc(all, func(s scenarios.Scenario) bool {
		return !slices.ContainsFunc(wanted, func(name string) bool {
			return name == s.Name || !s.Asked && (name == styles.All || name == s.Group || name == matrixName && spec.InMatrix(s.Group))
		})
	}), nil
}

// matrixName names all groups of the correctness matrix.
const matrixName = "matrix"

// measured are the scenarios whose latencies are compared.
func (j *job) measured() []scenarios.Scenario {
	return j.of(func(group string) bool { return group == spec.GroupLatency })
}

// matrix are the scenarios of the correctness matrix.
func (j *job) matrix() []scenarios.Scenario { return j.of(spec.InMatrix) }

// loads are the scenarios that many custom resources are put through at once.
func (j *job) loads() []scenarios.Scenario {
	return j.of(func(group string) bool { return group == spec.GroupLoad })
}

// Measured are the names of the scenarios that are not of the correctness matrix: what they measure nothing else must
// disturb.
func (j *job) Measured() []string {
	return namesOf(j.of(func(group string) bool { return !spec.InMatrix(group) }))
}

// of are the scenarios of groups.
func (j *job) of(group func(string) bool) []scenarios.Scenario {
	return slices.DeleteFunc(slices.Clone(j.scenarios), func(s scenarios.Scenario) bool { return !group(s.Group) })
}

// results is a path in the results folder.
func (j *job) results(name ...string) string {
	return filepath.Join(append([]string{j.folder}, name...)...)
}

// Failed says why a style could not be driven to its end; nil if it was.
func (j *job) Failed(label string) error {
	if p := j.labelled(label); p != nil {
		return p.err
	}
	return fmt.Errorf("no style %s takes part in this run", label)
}

// labelled is the participant of a label; nil: there is none.
func (j *job) labelled(label string) *participant {
	p, _ := plain.Find(j.participants, func(p *participant) bool { return p.label() == label })
	return p
}

// own reports whether the run makes its cluster, and may do anything to it; of any other it uses nothing but the API.
func (j *job) own() bool { return j.options.Cluster == cluster.KindName }

// within makes the scenarios for which the run's cluster lacks something be
// expected not to be applicable, whatever a style's file says of them.
func (j *job) within(expected verdicts.Expected) verdicts.Expected {
	if !expected.Known() {
		return expected
	}
	expected.Entries = slices.Clone(expected.Entries)
	for _, scenario := range j.matrix() {
		if lacks(j.options.Cluster, scenario) == "" {
			continue
		}
		expected.Entries = slices.DeleteFunc(expected.Entries, func(e verdicts.Entry) bool { return e.Scenario == scenario.Name })
		expected.Entries = append(expected.Entries, verdicts.Entry{Scenario: scenario.Name, Verdict: spec.NotApplicable})
	}
	return expected
}

// matrixRounds is how often the matrix is gone through.
func (j *job) matrixRounds() int { return max(j.options.Rounds, 1) }

// existing is the cluster that a person has named; nil: the run makes its own.
func (j *job) existing() *cluster.Existing {
	if j.options.Cluster != cluster.ExistingName {
		return nil
	}
	return &cluster.Existing{Kubeconfig: j.options.Kubeconfig, Context: j.options.Context}
}

// cleanCommand removes what a run that was killed left in its existing cluster.
func (j *job) cleanCommand() string {
	return fmt.Sprintf("%s clean %s --run=%s", j.options.program(), j.existing().Flags(), j.id)
}
