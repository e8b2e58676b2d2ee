package html

import (
	"fmt"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// pictureRow is one style of a picture.
type pictureRow struct {
	Style       *style
	Name, Note  string // Note is n, and what is not counted
	Value       string // the median
	Y           float64
	Dots        []point  // samples that count
	Arrows      []string // paths: of those that timed out
	Crosses     []string // paths: of those that were wrong
	Bar         *span    // the median's interval; nil: none can be had
	Mark        string   // path of the median's; empty: no latency counts
	MarkX       float64
	median      float64 // seconds
	marks       []judge.Sample
	low, high   stat.Observation
	hasInterval bool
}

// point and span are places in a picture.
type (
	point struct{ X, Y float64 }
	span  struct {
		X, Width float64
		Open     bool // its end is only known to lie further right
	}
)

// rowOf takes what a cell's samples of a phase say; one is nil where there is none.
func rowOf(c *cell, one *series) *pictureRow {
	r := &pictureRow{Style: c.Style, Name: clip(c.Label, 19), Value: "–", Note: "no sample"}
	if one == nil {
		return r
	}
	for _, line := range one.lines {
		if sample := one.samples[line-1]; !sample.Warmup {
			r.marks = append(r.marks, sample)
		}
	}
	notes := []string{fmt.Sprintf("n = %s", count(one.N()))}
	for _, part := range []struct {
		n    int
		what string
	}{{one.Censored(), "timed out"}, {one.Wrong, "wrong"}, {one.Unknown, "interrupted"}} {
		if part.n > 0 {
			notes = append(notes, count(part.n)+" "+part.what)
		}
	}
	r.Note = strings.Join(notes, ", ")
	if one.N() == 0 {
		return r
	}
	median := one.ordered.Quantile(0.5)
	r.Value, r.median, r.Mark = report.Latency(median), median.Value, c.Style.Look.Mark(0, 0)
	if i, ok := one.ordered.Interval(0.5, stat.Level); ok {
		r.low, r.high, r.hasInterval = i.Low, i.High, true
	}
	return r
}

// draw puts the row's marks in their places; y is its middle.
func (r *pictureRow) draw(x *axis, y float64) {
	r.Y, r.MarkX = y, x.at(r.median)
	if r.hasInterval {
		from, to := x.at(r.low.Value), x.at(r.high.Value)
		r.Bar = &span{X: from - 1, Width: to - from + 2, Open: r.high.Censored}
	}
	for i, sample := range r.marks {
		at := x.at(sample.Value)
		switch sample.Outcome {
		case judge.OK:
			r.Dots = append(r.Dots, point{X: at, Y: y + scatter(i)})
		case judge.Timeout:
			r.Arrows = append(r.Arrows, fmt.Sprintf("M%.1f %.1fl8 4.5l-8 4.5z", at, y+scatter(i)-4.5))
		case judge.Wrong:
			r.Crosses = append(r.Crosses, fmt.Sprintf("M%.1f %.1fl7 7m0 -7l-7 7", at-3.5, y+scatter(i)-3.5))
		}
	}
}

// BarY is where the bar's upper edge is.
func (r *pictureRow) BarY() float64 { return r.Y - 6 }

// scatter moves the i-th sample up or down, so that equal ones can be told apart.
func scatter(i int) float64 {
	const lanes = 5
	return 3 * float64(i%lanes-lanes/2)
}
