package result

import (
	"fmt"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// besideFloor puts the floor of a run beside the run's other cells.
func besideFloor(cells []*Cell) {
	floors := map[string]*Cell{} // by scenario
	for _, c := range cells {
		if c.IsFloor() {
			floors[c.Scenario] = c
		}
	}
	for _, c := range cells {
		if floor := floors[c.Scenario]; floor != nil && floor != c {
			c.floor = floor.Phases
		}
	}
}

// IsLoad reports whether a scenario changes many custom resources at once.
func (r *Set) IsLoad(scenario string) bool {
	cells := r.Of(scenario)
	return len(cells) > 0 && cells[0].Load()
}

// Floor returns the floor's summary of a phase in the cell's own run: what the cluster and the observer took there
// without any operator. False: it was not measured there, or the cell is the floor's.
func (c *Cell) Floor(phase string) (stat.Summary, bool) {
	floor, _ := plain.Find(c.floor, func(s stat.Summary) bool { return s.Phase == phase })
	return floor, floor.N > 0
}

// ToFloor is how many times the floor's p50 a summary's p50 is; for a censored p50 it is at least that many times.
// False: one of them is not known, or it is a load, in which waiting for each other is what takes time.
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
	if floor, there := c.Floor(s.Phase); c.Load() && there && s.N > 0 {
		return "floor " + floor.P50.String()
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

// Reference is the style that others are compared with: a plain client-go controller.
const Reference = "native"

// ToReference is how many times as long as Reference a style takes until it has done
// its part, in the rounds that both have; of a load, until the last is done. False: it
// is not known, they were measured in different runs, or the label is the floor's or Reference's.
func (r *Set) ToReference(label, scenario string) (stat.Ratio, bool) {
	one, other := r.Cell(label, scenario), r.Cell(Reference, scenario)
	if one == nil || other == nil || label == Reference || one.IsFloor() || one.Run != other.Run {
		return stat.Ratio{}, false
	}
	of, _ := one.Outcome()
	to, _ := other.Outcome()
	if one.Load() {
		of, to = Lasts(of), Lasts(to)
	}
	ratio := stat.RatioOf(of, to)
	return ratio, ratio.Rounds > 0
}

// RatioNote says what a ratio is.
func RatioNote() string {
	return fmt.Sprintf("× %s: geometric mean of the ratios of medians in the rounds that both have, of a load of when the last is done, "+
		"with its 95%% interval (paired t-test on logarithms), which takes %d rounds", Reference, stat.RankedRounds)
}
