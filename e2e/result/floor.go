package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// floorsDiffer is the ratio from which on the floors of pooled runs are too far
// apart for styles of different runs to be compared.
const floorsDiffer = 1.2

// floors are the floor's samples, by what they measure and by run: a style is
// compared with the floor of its own runs.
type floors struct {
	samples map[floorKey][]judge.Sample
	runs    []string
	pooled  []string // of runs: those that do not stand apart
	done    map[string]stat.Summary
}

type floorKey struct{ scenario, phase, run string }

func (r *Set) floors() *floors {
	f := &floors{samples: map[floorKey][]judge.Sample{}, done: map[string]stat.Summary{}}
	for _, s := range r.Samples {
		if s.Operator == spec.Floor {
			key := floorKey{s.Scenario, s.Phase, s.Run}
			f.samples[key], f.runs = append(f.samples[key], s), plain.Once(f.runs, s.Run)
			if s.Variant == "" {
				f.pooled = plain.Once(f.pooled, s.Run)
			}
		}
	}
	return f
}

// of sums up the floor in some runs.
func (f *floors) of(scenario, phase string, runs []string) stat.Summary {
	name := strings.Join(append([]string{scenario, phase}, runs...), "\x00")
	if s, there := f.done[name]; there {
		return s
	}
	var samples []judge.Sample
	for _, run := range runs {
		samples = append(samples, f.samples[floorKey{scenario, phase, run}]...)
	}
	var sum stat.Summary
	if all := stat.Summarize(slices.Values(samples)); len(all) > 0 {
		sum = all[0]
	}
	f.done[name] = sum
	return sum
}

// beside puts the floor of a cell's own runs beside it.
func (f *floors) beside(c *Cell) {
	var runs []string
	for _, run := range c.runs() {
		if slices.Contains(f.runs, run) {
			runs = plain.Once(runs, run)
		}
	}
	c.floor = map[string]stat.Summary{}
	for _, p := range c.Phases {
		if sum := f.of(c.Scenario, p.Phase, runs); sum.N > 0 {
			c.floor[p.Phase] = sum
		}
	}
}

// withFloors tells recordings of one place apart whose floors differ: the same kind of
// machine is not always equally fast. The recording with the most floors comes first,
// and each of the others is compared with those that came before it and differ.
func withFloors(given []Recording) []Recording {
	type one struct {
		origin
		floors map[string]stat.Summary // by scenario
		of     []int                   // indexes of given
	}
	var groups []*one
	order := make([]int, len(given))
	floors := make([]map[string]stat.Summary, len(given))
	for i := range given {
		order[i], floors[i] = i, floorsOf(given[i].Judgement)
	}
	n := func(i int) (n int) {
		for _, s := range floors[i] {
			n += s.N
		}
		return n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n(b), n(a)) })
	for _, i := range order {
		if len(floors[i]) == 0 {
			continue
		}
		at := slices.IndexFunc(groups, func(g *one) bool { return g.fits(originOf(given[i])) && agree(g.floors, floors[i]) })
		if at < 0 {
			at, groups = len(groups), append(groups, &one{origin: originOf(given[i]), floors: floors[i]})
		}
		groups[at].of = append(groups[at].of, i)
	}
	all := slices.Clone(given)
	for _, g := range groups {
		if !slices.ContainsFunc(groups, func(o *one) bool { return o != g && o.fits(g.origin) }) {
			continue
		}
		for _, i := range g.of {
			all[i].floor = inWords(g.floors)
		}
	}
	return all
}

// floorsOf sums up a recording's floor of each single change, until it was written or gone.
func floorsOf(j *judge.Judgement) map[string]stat.Summary {
	var samples []judge.Sample
	for i := range j.Results {
		if r := &j.Results[i]; r.Style == spec.Floor && r.Group != spec.GroupLoad && figures(r) {
			for _, s := range r.Samples {
				if s.Phase == spec.PhaseChildWritten || s.Phase == spec.PhaseChildGone {
					samples = append(samples, s)
				}
			}
		}
	}
	all := map[string]stat.Summary{}
	for _, s := range stat.Summarize(slices.Values(samples)) {
		if _, there := all[s.Scenario]; !there {
			all[s.Scenario] = s
		}
	}
	return all
}

// agree tells whether two recordings' floors are not shown to differ by more than 20%: by
// the rounds of some scenario, at 5% over all scenarios that both have (Bonferroni's correction).
func agree(a, b map[string]stat.Summary) bool {
	var both []string
	for scenario := range a {
		if _, there := b[scenario]; there {
			both = append(both, scenario)
		}
	}
	return !slices.ContainsFunc(both, func(scenario string) bool {
		one, other := a[scenario], b[scenario]
		if one.P50.Censored || other.P50.Censored || one.P50.Value <= 0 || other.P50.Value <= 0 {
			return false
		}
		if one.P50.Value > other.P50.Value {
			one, other = other, one
		}
		p, known := stat.Apart(one.Replicates, other.Replicates)
		return known && other.P50.Value/one.P50.Value > floorsDiffer && p*float64(len(both)) < 1-stat.Level
	})
}

// inWords says what a floor took.
func inWords(floors map[string]stat.Summary) string {
	var parts []string
	for _, scenario := range slices.Sorted(maps.Keys(floors)) {
		parts = append(parts, scenario+" "+floors[scenario].P50.String())
	}
	return strings.Join(parts, ", ")
}

// differ warns where the floors of a load in runs that are pooled are too far apart. Of
// single changes such runs stand apart: see withFloors.
func (f *floors) differ(r *Set) []string {
	var parts []string
	for _, scenario := range r.Scenarios {
		if !r.IsLoad(scenario) {
			continue
		}
		for _, phase := range []string{spec.PhaseChildWritten, spec.PhaseChildGone} {
			var measured []stat.Summary
			for _, run := range f.pooled {
				if s := f.of(scenario, phase, []string{run}); s.N > 0 && !s.P50.Censored && s.P50.Value > 0 {
					measured = append(measured, s)
				}
			}
			slices.SortStableFunc(measured, func(a, b stat.Summary) int { return cmp.Compare(a.P50.Value, b.P50.Value) })
			if len(measured) == 0 {
				continue
			}
			least, most := measured[0].P50.Value, measured[len(measured)-1].P50.Value
			if times := most / least; times > floorsDiffer {
				parts = append(parts, fmt.Sprintf("%s %s to %s, %.1f times", scenario, plain.Duration(least), plain.Duration(most), times))
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"the floor differs by more than 20% between runs (p50 of " + strings.Join(parts, "; ") +
		"): compare loads only between styles of one run"}
}

// IsLoad tells whether a scenario changes many custom resources at once.
func (r *Set) IsLoad(scenario string) bool {
	return slices.ContainsFunc(slices.Collect(r.Of(scenario)), (*Cell).Load)
}

// Floor returns the floor's summary of a phase in the cell's own runs: what the
// cluster and the observer took there without any operator. False: it was not
// measured there, or the cell is the floor's.
func (c *Cell) Floor(phase string) (stat.Summary, bool) {
	s, there := c.floor[phase]
	return s, there && s.N > 0 && !c.IsFloor()
}

// ToFloor is how many times the floor's p50 a summary's p50 is; for a censored
// p50 it is at least that many times. False: one of them is not known, or it is a
// load, in which waiting for each other is what takes time.
func (c *Cell) ToFloor(s stat.Summary) (times float64, known bool) {
	floor, there := c.Floor(s.Phase)
	if !there || c.Load() || s.N == 0 || floor.P50.Censored || floor.P50.Value <= 0 {
		return 0, false
	}
	return s.P50.Value / floor.P50.Value, true
}

// BesideFloor says in a few characters how a summary stands to the floor: how
// many times its p50, or, of a load, what the floor's p50 is; empty: not known.
func (c *Cell) BesideFloor(s stat.Summary) string {
	if c.Load() {
		if floor, there := c.Floor(s.Phase); there && s.N > 0 {
			return "floor " + floor.P50.String()
		}
		return ""
	}
	times, known := c.ToFloor(s)
	switch {
	case !known:
		return ""
	case s.P50.Censored:
		return ">" + plain.Digits(times)
	}
	return plain.Digits(times)
}
