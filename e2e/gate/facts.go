package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// covered says which of the scenarios of correctness were driven.
func (r *Result) covered() []string {
	groups := map[string][]string{}
	for result := range r.Head.compared() {
		if result.Matrix {
			groups[result.Group] = plain.Once(groups[result.Group], result.Scenario)
		}
	}
	var driven, not []string
	for _, group := range spec.Groups() {
		switch {
		case !spec.InMatrix(group):
		case len(groups[group]) > 0:
			driven = append(driven, fmt.Sprintf("%s (%s)", group, plain.Plural(len(groups[group]), "scenario")))
		default:
			not = append(not, group+r.undriven(group))
		}
	}
	var facts []string
	if c := r.comparison(); c != nil && c.Profile != "" {
		facts = append(facts, fmt.Sprintf("profile %s: a median that is slower by less than %s may be called fine", c.Profile, percent(r.Effect)))
	}
	text := "groups of the correctness matrix: "
	if len(driven) > 0 {
		text += "run at base and at head: " + strings.Join(driven, ", ") + "; "
	}
	return append(facts, text+"not run: "+strings.Join(not, ", "), r.coveredLoads())
}

// coveredLoads says in how many rounds of head loads were driven.
func (r *Result) coveredLoads() string {
	rounds := map[string][]int{}
	for result := range r.Head.results() {
		if name := result.Style + " " + result.Scenario; result.Group == spec.GroupLoad {
			rounds[name] = plain.Once(rounds[name], result.Round)
		}
	}
	driven := plain.Map(slices.Sorted(maps.Keys(rounds)), func(name string) string {
		return fmt.Sprintf("%s in %s", name, plain.Plural(len(rounds[name]), "round"))
	})
	why := r.undriven(spec.GroupLoad)
	if len(driven) == 0 {
		return "loads: not run" + why
	}
	if why != "" {
		why = "; not all" + why
	}
	return "loads: " + strings.Join(driven, ", ") + why
}

// undriven is why a group was not driven, where the recording says it.
func (r *Result) undriven(group string) string {
	if c := r.comparison(); c != nil {
		for _, u := range c.Undriven {
			if u.Group == group {
				return " (" + strings.TrimSpace(u.Style+" "+u.Why) + ")"
			}
		}
	}
	return ""
}

// comparison is what the recording says of how it was compared; nil: nothing.
func (r *Result) comparison() *record.Comparison {
	if e := r.Head.Recording.Environment; e != nil {
		return e.Comparison
	}
	return nil
}

// throttled says where head's CPU limit held it up for longer than base's did.
func (r *Result) throttled() []string {
	var list []string
	for _, is := range r.Head.costs() {
		for _, was := range r.Base.costs() {
			base, head := was.Throttled.Median(), is.Throttled.Median()
			if was.Style != is.Style || head <= 2*base+0.1 {
				continue
			}
			text := fmt.Sprintf("Possible cause: CPU throttling. In a round (median), %s was held at its CPU limit for %.1f s at head and %.1f s at base", is.Style, head, base)
			if is.ThrottledShare.Known() {
				text += fmt.Sprintf(" (it used up its limit in %s of the kernel's periods at head)", percent(is.ThrottledShare.Median()))
			}
			list = append(list, text+": compare resources.limits.cpu and the CPU time of both versions")
		}
	}
	return list
}

func (s Side) costs() []cost.Cost {
	return slices.DeleteFunc(slices.Clone(s.Recording.Costs), func(c cost.Cost) bool { return c.Variant != s.Variant || c.Style == spec.Floor })
}
