package judge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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
	// growthGone is how long before the last look at all a pod was last seen that has ended.
	growthGone = 5 * time.Second
	// growthWarm is the share of the changes after which caches are full and heaps have their size.
	growthWarm = 0.4
	// growthParts are what the other changes are cut into. Of each the least memory counts: what was garbage is no growth.
	growthParts = 10
	// growthLevel is the coverage of the slope's interval, from both sides.
	growthLevel = 0.99
	// mostGrowth is how much a change may leave for ever: at one change a second, 5 GiB a day are more.
	mostGrowth = 64 << 10
	// mostKept is the same for what is counted: goroutines, threads, file descriptors, open watches. One of each fifth change is a leak.
	mostKept = 0.2
)

// grows judges that the use of each pod of the operator does not grow with the number of changes: its memory, what the
// kubelet's metrics and its own count as kept, and the watches of each resource that the API server's audit log shows open. A
// line is laid through the amount over the number of changes that were made so far, after the warm-up; the whole interval
// of its slope must be above what is let pass, in both halves of it the amount must grow, and not slower in the second by
// half: a heap that still finds its size does not go on so. A pod that has ended, as those of work objects do, keeps nothing.
func grows(t *timeline.Timeline) Verdict {
	var changes []time.Duration
	for a := range t.Accepted() {
		if !a.Nudge {
			changes = append(changes, a.From)
		}
	}
	slices.Sort(changes)
	looks := plain.Grouped(t.Looks, func(look timeline.Look) string {
		if look.What == timeline.Memory {
			return "pod " + look.Pod
		}
		return "pod " + look.Pod + ", " + look.What
	})
	slices.Sort(looks.Keys)
	seen, latest := map[string]time.Duration{}, time.Duration(0)
	for _, look := range t.Looks { // in the order of time
		seen[look.Pod], latest = look.At, look.At
	}
	var said, wrong []string
	for _, one := range looks.Keys {
		its := looks.Of[one]
		l, known := lineOf(floors(its, changes))
		if !known || seen[its[0].Pod] < latest-growthGone {
			continue
		}
		most, shown := mostKept, func(amount float64) string { return strconv.FormatFloat(amount, 'g', 3, 64) }
		if its[0].What == timeline.Memory {
			most, shown = mostGrowth, func(amount float64) string { return plain.Bytes(int64(amount)) }
		}
		text := fmt.Sprintf("%s: %s a change (%s to %s, %.0f%%), from %s to %s", one, shown(l.slope), shown(l.low), shown(l.high), 100*growthLevel, shown(l.from), shown(l.to))
		if said = append(said, text); l.low > most && l.goesOn {
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
		return fail(nil, "expected what the operator's pods keep not to grow with each of %s, by more than %s of memory or %g of what is counted; it does, and does not end: %s",
			all, plain.Bytes(mostGrowth), mostKept, strings.Join(wrong, "; "))
	}
	return pass("over %s: %s", all, strings.Join(said, "; "))
}

// point is the least amount that was seen in a part of the changes.
type point struct{ changes, amount float64 }

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
			at, list = i, append(list, point{so, look.Amount})
			continue
		}
		if last := &list[len(list)-1]; look.Amount < last.amount {
			*last = point{so, look.Amount}
		}
	}
	return list
}

// trend is the line through points.
type trend struct {
	slope, low, high float64 // an amount a change, with its interval
	from, to         float64 // at the first and the last point
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
		from: points[0].amount, to: points[len(points)-1].amount, goesOn: first > 0 && second > first/2,
	}, true
}

// fit is the least squares' slope, and its standard error.
func fit(points []point) (slope, spread float64) {
	var x, y []float64
	for _, p := range points {
		x, y = append(x, p.changes), append(y, p.amount)
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
