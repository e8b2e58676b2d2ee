package html

import (
	"math"
	"strconv"
	"strings"

	"github.com/aclements/go-moremath/scale"

	"operatorbench/e2e/plain"
)

// axis maps seconds to places in a chart, in percent of its width, and says where its ticks are.
type axis struct {
	scale scale.Quantitative
	Ticks []tick // labelled
	Minor []string
}

// tick is a labelled value of an axis.
type tick struct{ At, Label string }

// at is the place of a value; what lies beyond an end of the axis is put there.
func (a *axis) at(seconds float64) float64 {
	place := 100 * a.scale.Map(seconds)
	if math.IsNaN(place) { // a logarithm has no place for zero
		return 0
	}
	return place
}

// The least and greatest value that an axis goes to, in seconds: what a watch
// can hardly tell apart, and more than a run lasts.
const (
	least    = 1e-6
	greatest = 1e5
)

// What the axis of latencies reaches at least, in seconds, so that reports of different recordings look alike.
const (
	axisLow  = 1e-3
	axisHigh = 100
)

// logAxis is logarithmic and goes to whole decades around low and high, which are
// seconds: each of its lines is 10 times the one before.
func logAxis(low, high float64) *axis {
	low = min(max(low, least), greatest)
	high = min(max(high, low), greatest)
	if low == high {
		low, high = low/2, high*2
	}
	s := &scale.Log{Min: low, Max: high, Base: 10, Clamp: true}
	// Nice, which goes to whole decades, is asked for as many as there may be.
	s.Nice(scale.TickOptions{Max: 24})
	a := &axis{scale: s}
	for decade := s.Min; decade <= s.Max*1.001; decade *= 10 {
		a.Ticks = append(a.Ticks, tick{place(a.at(decade)), short(decade)})
	}
	_, minor := s.Ticks(scale.TickOptions{Max: 8})
	a.Minor = plain.Map(minor, func(v float64) string { return place(a.at(v)) })
	return a
}

// place prints a place.
func place(percent float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(percent, 'f', 1, 64), ".0")
}

// short prints a round number of seconds without trailing zeros, in its unit.
func short(seconds float64) string {
	value, unit := seconds, "s"
	switch {
	case seconds < 0.9995e-3:
		value, unit = seconds*1e6, "µs"
	case seconds < 0.9995:
		value, unit = seconds*1e3, "ms"
	}
	return strconv.FormatFloat(value, 'g', 6, 64) + " " + unit
}
