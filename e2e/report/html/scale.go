package html

import (
	"math"
	"strconv"

	"github.com/aclements/go-moremath/scale"
)

// axis maps seconds to places in a chart, and says where its ticks are.
type axis struct {
	scale    scale.Quantitative
	from, to float64 // where its ends are, in the chart's unit
	Ticks    []tick  // labelled
	Minor    []float64
}

// tick is a labelled value of an axis.
type tick struct {
	At    float64 // in the chart's unit
	Label string
}

// at is the place of a value; what lies beyond an end of the axis is put there.
func (a *axis) at(seconds float64) float64 {
	place := a.scale.Map(seconds)
	if math.IsNaN(place) { // a logarithm has no place for zero
		place = 0
	}
	return a.from + place*(a.to-a.from)
}

// The least and greatest value that an axis goes to, in seconds: what a watch
// can tell apart, and far more than a run lasts.
const (
	least    = 1e-9
	greatest = 1e9
)

// logAxis is logarithmic, from one edge of a plot to the other, and goes to
// whole decades around low and high, which are seconds.
func logAxis(low, high, from, to float64) *axis {
	low = min(max(low, least), greatest)
	high = min(max(high, low), greatest)
	if low == high {
		low, high = low/2, high*2
	}
	s := &scale.Log{Min: low, Max: high, Base: 10, Clamp: true}
	// Nice, which goes to whole decades, is asked for as many as there may be.
	s.Nice(scale.TickOptions{Max: 24})
	a := &axis{scale: s, from: from, to: to}
	major, minor := s.Ticks(scale.TickOptions{Max: 8})
	for _, v := range major {
		a.Ticks = append(a.Ticks, tick{At: a.at(v), Label: short(v, v)})
	}
	for _, v := range minor {
		a.Minor = append(a.Minor, a.at(v))
	}
	return a
}

// linearAxis goes from zero to high, which is seconds; its places are percent.
func linearAxis(high float64) *axis {
	high = min(max(high, least), greatest)
	s := &scale.Linear{Max: high, Clamp: true}
	a := &axis{scale: s, to: 100}
	major, _ := s.Ticks(scale.TickOptions{Max: 8})
	for _, v := range major {
		label := "0"
		if v > 0 {
			label = short(v, high)
		}
		a.Ticks = append(a.Ticks, tick{At: a.at(v), Label: label})
	}
	// The last label ends where the chart does, if it would not fit; where there
	// are many, it would then touch the one before it on a phone.
	if last := len(a.Ticks) - 1; last > 5 && a.Ticks[last].At > fits {
		a.Ticks[last].Label = ""
	}
	return a
}

// fits is up to where, in percent, a label has room on both sides of its tick.
const fits = 94

// short prints a round number of seconds without trailing zeros, in the unit
// that fits the size of another.
func short(seconds, like float64) string {
	value, unit := seconds, "s"
	switch {
	case like < 0.9995e-3:
		value, unit = seconds*1e6, "µs"
	case like < 0.9995:
		value, unit = seconds*1e3, "ms"
	}
	return strconv.FormatFloat(value, 'g', 6, 64) + " " + unit
}
