package result

import (
	"cmp"
	"fmt"
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

// differ warns where the floors of runs that are pooled are too far apart.
func (f *floors) differ(r *Set) []string {
	var parts []string
	for _, scenario := range r.Scenarios {
		for _, phase := range []string{spec.PhaseChildWritten, spec.PhaseChildGone} {
			var measured []stat.Summary
			for _, run := range f.pooled {
				if s := f.of(scenario, phase, []string{run}); s.N > 0 && !s.P50.Censored && s.P50.Value > 0 {
					measured = append(measured, s)
				}
			}
			slices.SortStableFunc(measured, func(a, b stat.Summary) int { return cmp.Compare(a.P50.Value, b.P50.Value) })
			load := r.isLoad(scenario)
			var least, most float64
			worst := floorsDiffer
			for i, one := range measured {
				for _, other := range measured[i+1:] {
					if times := other.P50.Value / one.P50.Value; times > worst && (load || toldApart(one, other)) {
						worst, least, most = times, one.P50.Value, other.P50.Value
					}
				}
			}
			if most > 0 {
				parts = append(parts, fmt.Sprintf("%s %s to %s, %.1f times", scenario, plain.Duration(least), plain.Duration(most), worst))
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"the floors of the runs that are pooled here differ by more than 20% (" + strings.Join(parts, "; ") +
		"): compare styles of different runs only by × floor (the ratio to the floor of the same run), and do not compare their loads"}
}

// toldApart tells whether the medians of two runs' rounds show that their floors
// differ (stat.Apart at 5%). Too few rounds show nothing: a single sample is no floor.
func toldApart(one, other stat.Summary) bool {
	p, known := stat.Apart(one.Replicates, other.Replicates)
	return known && p < 1-stat.Level
}

func (r *Set) isLoad(scenario string) bool {
	for c := range r.Of(scenario) {
		return c.Load()
	}
	return false
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
