package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// tooMuchLost is the share of samples without a judgement from which on a run is not worth comparing.
const tooMuchLost = 0.25

// validate refuses recordings that cannot be compared, and those that should not be, unless forced.
func (r *Result) validate() error {
	if err := r.Check(); err != nil {
		return err
	}
	if hopeless := r.hopeless(); len(hopeless) > 0 {
		return &InvalidError{hopeless}
	}
	doubts := r.doubts()
	if len(doubts) > 0 && !r.Force {
		return &InvalidError{append(doubts, "to compare all the same, with a mark in every output, add --force")}
	}
	r.Forced = doubts
	r.warn()
	return nil
}

// mostPlanned is how many rounds a run can have.
const mostPlanned = 10000

// hopeless are reasons that no force helps against.
func (r *Result) hopeless() []string {
	for _, style := range slices.Sorted(maps.Keys(r.Planned)) {
		if n := r.Planned[style]; n < 1 || n > mostPlanned {
			return []string{fmt.Sprintf("%s says that %d rounds of %s were planned: expected a number from 1 to %d", record.EnvironmentFile, n, style, mostPlanned)}
		}
	}
	sides := []Side{r.Base, r.Head, r.Again}
	for i, name := range []string{"base", "head", "base again"} {
		for j, other := range []string{"base", "head"}[:min(i, 2)] {
			if sides[i].is(sides[j]) {
				return []string{fmt.Sprintf("%s and %s are the same: run %s, in %s and %s", other, name, sides[i].Recording.Judgement.Header.Run, sides[j].Name, sides[i].Name)}
			}
		}
	}
	was, is := r.Base.driven(), r.Head.driven()
	c := r.comparison()
	if gone := c != nil && len(c.Gone) > 0; !gone && !slices.ContainsFunc(was, func(one driven) bool { return slices.Contains(is, one) }) {
		return []string{fmt.Sprintf("base and head have no style and scenario in common: base has %s; head has %s", named(was), named(is))}
	}
	return nil
}

// is reports whether two sides are the same samples.
func (s Side) is(other Side) bool {
	if !s.there() || !other.there() || s.Variant != other.Variant {
		return false
	}
	a, b := s.Recording.Judgement, other.Recording.Judgement
	return a == b || a.Header.Run != "" && a.Header.Run == b.Header.Run
}

func named(all []driven) string {
	if len(all) == 0 {
		return "none"
	}
	names := plain.Map(all, func(one driven) string { return one.String() })
	return strings.Join(names, ", ")
}

// doubts are reasons not to compare that a person may overrule.
func (r *Result) doubts() []string {
	var doubts []string
	sides := []Side{r.Base, r.Head}
	if r.Again.there() {
		sides = append(sides, r.Again)
	}
	for i, side := range sides {
		if i > 0 {
			doubts = append(doubts, incomparable(r.Base, side)...)
		}
		if lost, all := side.lost(); float64(lost) > tooMuchLost*float64(all) {
			doubts = append(doubts, fmt.Sprintf("%d of %d samples of %s were interrupted or could not be judged", lost, all, side.Name))
		}
	}
	return doubts
}

// incomparable says why figures of two sides do not compare.
func incomparable(base, other Side) []string {
	doubts := append(patience(base, other), rewritten(base, other)...)
	a, b := base.Recording.Judgement.Header.Schema, other.Recording.Judgement.Header.Schema
	if a != b {
		doubts = append(doubts, fmt.Sprintf("%s has schema %d, %s has schema %d: what is recorded, and how, differs", base.Name, a, other.Name, b))
	}
	was, is := base.Recording.Environment, other.Recording.Environment
	if was == nil || is == nil || was == is {
		return doubts
	}
	if parts := elsewhere(was, is); len(parts) > 0 {
		doubts = append(doubts, fmt.Sprintf("%s and %s are of different machines or clusters (%s): compare what ran on one, in turns", base.Name, other.Name, strings.Join(parts, "; ")))
	}
	return doubts
}

// elsewhere says what differs between the machines and clusters of two runs.
func elsewhere(was, is *record.Environment) []string {
	var parts []string
	for _, part := range []struct{ name, base, other string }{
		{"machine", was.Host.String(), is.Host.String()},
		{"cluster", was.Cluster, is.Cluster},
		{"kind", was.Kind, is.Kind},
		{"Kubernetes", was.Kubernetes, is.Kubernetes},
	} {
		if part.base != part.other {
			parts = append(parts, fmt.Sprintf("%s %s against %s", part.name, cmp.Or(part.base, "unknown"), cmp.Or(part.other, "unknown")))
		}
	}
	return parts
}

// patience says whose limits differ: in one run base's is that of all sides.
func patience(base, other Side) []string {
	var doubts []string
	for _, was := range base.styles() {
		for _, is := range other.styles() {
			if was.Name == is.Name && was.Timeout != is.Timeout && was.Timeout > 0 && is.Timeout > 0 { // else it was not recorded
				doubts = append(doubts, fmt.Sprintf("%s has %s for a change at %s and %s at %s: what is late on one side is in time on the other; drive both with base's timeout",
					was.Name, plain.Duration(was.Timeout.Seconds()), base.Name, plain.Duration(is.Timeout.Seconds()), other.Name))
			}
		}
	}
	return doubts
}

// rewritten says which scenarios did or expected something else on one side, where that was recorded.
func rewritten(base, other Side) []string {
	var names []string
	for _, was := range base.Recording.Judgement.Header.Scenarios {
		is, there := plain.Find(other.Recording.Judgement.Header.Scenarios, func(s record.Scenario) bool { return s.Name == was.Name })
		if there && was.Digest != "" && is.Digest != "" && was.Digest != is.Digest {
			names = plain.Once(names, was.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s and %s were not driven through the same scenarios: %s did or expected something else; drive both with one version of the program and its scenarios",
		base.Name, other.Name, plain.Some(names, mostNamed))}
}

// warn notes what weakens a comparison without making it invalid.
func (r *Result) warn() {
	for _, side := range []Side{r.Base, r.Head, r.Again} {
		if !side.there() {
			continue
		}
		for _, warning := range side.Recording.Judgement.Warnings {
			if !r.Paired { // else one recording holds them all
				warning = side.Name + ": " + warning
			}
			r.addWarning(warning)
		}
		if side.Recording.Environment == nil {
			r.addWarning(side.Name + " has no environment.json: whether base and head are of one machine is not known")
		}
	}
	was, is := r.Base.driven(), r.Head.driven()
	if only := slices.DeleteFunc(is, func(one driven) bool { return slices.Contains(was, one) }); len(only) > 0 {
		r.addWarning(fmt.Sprintf("only head has %s: not compared", named(only)))
	}
	if !r.Paired {
		r.addWarning("base and head are of two runs: what changed on the machine between them counts as a change; take turns in one run (opbench run --base=REVISION) for a sharper answer")
	}
}

func (r *Result) addWarning(text string) {
	if !slices.Contains(r.Warnings, text) {
		r.Warnings = append(r.Warnings, text)
	}
}
