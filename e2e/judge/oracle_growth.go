package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/timeline"
)

var growthOracle = Named{Name: timeline.Growth, Judge: grows}

// What is growth without end.
const (
	// growthWarm is the share of the changes after which caches are full and heaps have their size.
	growthWarm = 0.4
	// growthParts are what the other changes are cut into. Of each the least memory counts: what was garbage is no growth.
	growthParts = 10
	// growthLevel is the coverage of the slope's interval, from both sides.
	growthLevel = 0.99
	// mostGrowth is how much a change may leave for ever: at one change a second, 11 GiB a day are more.
	mostGrowth = 128 << 10
)

// grows judges that what each pod of the operator takes does not grow with the number of changes. A line is laid through
// the memory (working set) over the number of changes that were made so far, after the warm-up; the whole interval of its
// slope must be above what is let pass, in both halves of it the memory must grow, and not slower in the second by half: a
// heap that still finds its size does not go on so.
func grows(t *timeline.Timeline) Verdict {
	var changes []time.Duration
	for a := range t.Accepted() {
		if !a.Nudge {
			changes = append(changes, a.From)
		}
	}
	slices.Sort(changes)
	looks := plain.Grouped(t.Looks, func(look timeline.Look) string { return look.Pod })
	slices.Sort(looks.Keys)
	var said, wrong []string
	for _, pod := range looks.Keys {
		l, known := lineOf(floors(looks.Of[pod], changes))
		if !known {
			continue
		}
		text := fmt.Sprintf("pod %s: %s a change (%s to %s, %.0f%%), from %s to %s", pod,
			plain.Bytes(int64(l.slope)), plain.Bytes(int64(l.low)), plain.Bytes(int64(l.high)), 100*growthLevel, plain.Bytes(int64(l.from)), plain.Bytes(int64(l.to)))
		if said = append(said, text); l.low > mostGrowth && l.goesOn {
			wrong = append(wrong, text)
		}
	}
	all := plain.Plural(len(changes), "change")
	switch {
	case len(t.Looks) == 0:
		return notApplicable("nobody looked at the memory of the operator's pods")
	case len(said) == 0:
		return notApplicable("no pod of the operator was looked at often enough while %s were made (%s)", all, plain.Plural(len(t.Looks), "look"))
	case len(wrong) > 0:
		return fail(nil, "expected the memory of the operator's pods not to grow with each of %s, by more than %s; it does, and does not end: %s",
			all, plain.Bytes(mostGrowth), strings.Join(wrong, "; "))
	}
	return pass("over %s: %s", all, strings.Join(said, "; "))
}

// point is the least memory that was seen in a part of the changes.
type point struct{ changes, memory float64 }

// floors are those of the parts after the warm-up.
func floors(looks []timeline.Look, changes []time.Duration) []point {
	warm := growthWarm * float64(len(changes))
	part := (float64(len(changes)) - warm) / growthParts
	var list []point
	at := -1
	for _, look := range looks {
		n, _ := slices.BinarySearch(changes, look.At)
		so := float64(n)
		if so <= warm || n == len(changes) && len(list) > 0 && list[len(list)-1].changes == so {
			continue // later looks tell of rest, not of changes
		}
		if i := int((so - warm - 1) / part); i != at {
			at, list = i, append(list, point{so, float64(look.Memory)})
			continue
		}
		if last := &list[len(list)-1]; float64(look.Memory) < last.memory {
			*last = point{so, float64(look.Memory)}
		}
	}
	return list
}

// trend is the line through points.
type trend struct {
	slope, low, high float64 // bytes a change, with its interval
	from, to         float64 // bytes, at the first and the last point
	goesOn           bool    // it rises in both halves, and in the second at least half as steeply
}

// lineOf lays the line; false: there are too few points for an interval.
func lineOf(points []point) (trend, bool) {
	const fewest = 6
	if len(points) < fewest {
		return trend{}, false
	}
	slope, spread := fit(points)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(points) - 2)}.Quantile((1 + growthLevel) / 2)
	middle := len(points) / 2
	first, _ := fit(points[:middle+1])
	second, _ := fit(points[middle:])
	return trend{
		slope: slope, low: slope - t*spread, high: slope + t*spread,
		from: points[0].memory, to: points[len(points)-1].memory, goesOn: first > 0 && second > first/2,
	}, true
}

// fit is the least squares' slope, and its standard error.
func fit(points []point) (slope, spread float64) {
	var x, y []float64
	for _, p := range points {
		x, y = append(x, p.changes), append(y, p.memory)
	}
	alpha, slope := stat.LinearRegression(x, y, nil, false)
	var squares, apart float64
	mean := stat.Mean(x, nil)
	for i := range x {
		squares += math.Pow(y[i]-alpha-slope*x[i], 2)
		apart += math.Pow(x[i]-mean, 2)
	}
	return slope, math.Sqrt(squares / float64(max(len(x)-2, 1)) / apart)
}
