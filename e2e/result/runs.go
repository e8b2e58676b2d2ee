package result

import (
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/record"
)

// RunFacts are how a run was asked for.
type RunFacts struct {
	Run      string
	Seed     uint64
	Revision string
	Flags    string // as they are given, the empty ones left out
	// Elsewhere is the machine, where most latencies are of another one.
	Elsewhere string
}

// MeasuredOn is the machine that a scenario was measured on, where that is not the one
// of Set.Environment; empty: it is, or nothing is known of it.
func (r *Set) MeasuredOn(scenario string) string {
	for c := range r.Of(scenario) {
		if r.Apart(c.Style.Label) {
			continue
		}
		for _, facts := range r.RunFacts() {
			if facts.Elsewhere != "" && slices.ContainsFunc(c.Results, func(j Judged) bool { return j.Run == facts.Run && !j.Warmup }) {
				return facts.Elsewhere
			}
		}
	}
	return ""
}

// RunFacts are those of the runs whose environment is known.
func (r *Set) RunFacts() []RunFacts {
	var all []RunFacts
	for _, one := range r.Parts {
		if one.Environment == nil || one.rest {
			continue
		}
		var flags []string
		for _, name := range slices.Sorted(maps.Keys(one.Environment.Flags)) {
			if value := one.Environment.Flags[name]; value != "" {
				flags = append(flags, "--"+name+"="+value)
			}
		}
		facts := RunFacts{Run: one.Header.Run, Seed: one.Header.Seed, Revision: one.Environment.Revision, Flags: strings.Join(flags, " ")}
		if r.Environment != nil && one.Environment.Machine() != r.Environment.Machine() {
			facts.Elsewhere = one.Environment.Machine()
		}
		all = append(all, facts)
	}
	return all
}

// Facts returns what the environment of the newest recording of a style knows of it; nil: none does.
func (r *Set) Facts(label string) (facts *record.StyleFacts, environment *record.Environment) {
	for _, one := range r.Parts {
		if its := one.Environment.Facts(label); its != nil && (facts == nil || one.Environment.Began.After(environment.Began)) {
			facts, environment = its, one.Environment
		}
	}
	return facts, environment
}
