package html

import (
	"fmt"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/stat"
)

// pictureRow is one style of a picture.
type pictureRow struct {
	Style      *style
	Name, Note string // Note is n, and what is not counted
	Tied       bool   // it cannot be told apart from a neighbour
	Value      string // the median
	Range      string // its interval; empty: none can be had
	Y          float64
	Mark       string // path of the median's; empty: no latency counts
	Whiskers   string // path of the interval's
	MarkX      float64
	MarkY      float64
	Dots       []point  // samples that count
	Arrows     []string // paths: of those that timed out
	Crosses    []string // paths: of those that were wrong
	median     float64  // seconds
	interval   *stat.Interval
	marks      []judge.Sample
}

// point is a place in a picture.
type point struct{ X, Y float64 }

// rowOf takes what a cell's samples of a phase say; one is nil where there is none.
func rowOf(c *cell, one *series) *pictureRow {
	r := &pictureRow{Style: c.Style, Name: clip(c.Style.Label, 19), Value: "–", Note: "no sample"}
	if one == nil {
		return r
	}
	for _, line := range one.lines {
		if sample := one.samples[line-1]; !sample.Warmup {
			r.marks = append(r.marks, sample)
		}
	}
	notes := []string{fmt.Sprintf("n = %s in %s", count(one.N), counted(one.Rounds, "round"))}
	for _, part := range []struct {
		n    int
		what string
	}{{one.Censored, "timed out"}, {one.Wrong, "wrong"}, {one.Interrupted, "interrupted"}} {
		if part.n > 0 {
			notes = append(notes, count(part.n)+" "+part.what)
		}
	}
	r.Note = strings.Join(notes, ", ")
	if one.N == 0 {
		return r
	}
	median := one.P50
	r.Value, r.median, r.Mark = median.String(), median.Value, c.Style.Look.Mark(0, 0)
	if i := one.CI50; i != nil {
		r.interval, r.Range = i, "["+i.Low.String()+", "+i.High.String()+"]"
	}
	return r
}

// draw puts the row's marks in their places; y is its middle. The median stands
// above its samples, which it would hide.
func (r *pictureRow) draw(x *axis, y float64) {
	const above, below = 5, 7
	r.Y, r.MarkX, r.MarkY = y, x.at(r.median), y-above
	if r.interval != nil {
		from, to := x.at(r.interval.Low.Value), x.at(r.interval.High.Value)
		r.Whiskers = fmt.Sprintf("M%.1f %.1fv12M%.1f %.1fH%.1f", from, y-above-6, from, y-above, to)
		if !r.interval.High.Censored { // else its end is only known to lie further right
			r.Whiskers += fmt.Sprintf("M%.1f %.1fv12", to, y-above-6)
		}
	}
	for i, sample := range r.marks {
		at, height := x.at(sample.Value), y+below+scatter(i)
		switch sample.Outcome {
		case judge.OK:
			r.Dots = append(r.Dots, point{X: at, Y: height})
		case judge.Timeout:
			r.Arrows = append(r.Arrows, fmt.Sprintf("M%.1f %.1fl7 3.5l-7 3.5z", at, height-3.5))
		case judge.Wrong:
			r.Crosses = append(r.Crosses, fmt.Sprintf("M%.1f %.1fl6 6m0 -6l-6 6", at-3, height-3))
		}
	}
}

// scatter moves the i-th sample up or down, so that equal ones can be told apart.
func scatter(i int) float64 {
	const lanes = 5
	return 2 * float64(i%lanes-lanes/2)
}
