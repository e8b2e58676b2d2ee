package result

import (
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/record"
)

// RunFacts are how a run was asked for.
type RunFacts struct {
	Run     string
	Seed    uint64
	Flags   string // as they are given, the empty ones left out
	Machine string
}

// RunFacts are those of the runs whose environment is known.
func (r *Set) RunFacts() []RunFacts {
	var all []RunFacts
	for _, one := range r.Parts {
		if one.Environment == nil {
			continue
		}
		var flags []string
		for _, name := range slices.Sorted(maps.Keys(one.Environment.Flags)) {
			if value := one.Environment.Flags[name]; value != "" {
				flags = append(flags, "--"+name+"="+value)
			}
		}
		all = append(all, RunFacts{one.Header.Run, one.Header.Seed, strings.Join(flags, " "), one.Environment.Machine()})
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
