package html

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// study is a report with what its pages share.
type study struct {
	*report.Report
	Styles  []*style // the quickest first
	heading string   // names the run, where there are several
	x       *axis    // of all latencies
	// anchors are the ids that scenarios have on every style's page.
	anchors map[string]string
}

// newStudy is that of a report. That of a run takes the styles' looks from those of the whole; nil: it is the whole.
func newStudy(r *report.Report, styles []*style) *study {
	s := &study{Report: r, Styles: stylesOf(r)}
	for i, one := range s.Styles {
		of, _ := plain.Find(styles, func(other *style) bool { return other.Label == one.Label })
		s.Styles[i] = cmp.Or(of, one)
	}
	s.x, s.anchors = logAxis(reach("", r.Cells...)), map[string]string{}
	ids := newIDs()
	for _, row := range s.judged() {
		s.anchors[row.Name] = ids.of("s", row.Name)
	}
	return s
}

// stylesOf are all styles, the quickest first, each with a look and a page of its own.
func stylesOf(r *report.Report) []*style {
	ids := newIDs()
	var all []*style
	looks := 0
	for _, label := range r.Order() {
		name, _ := r.Named(label)
		one := &style{Label: label, Index: len(all), Floor: name == spec.Floor, File: ids.of(cmp.Or(strings.Trim(slug(label), "-"), "style")) + ".html"}
		one.Look = lookOf(looks, one.Floor)
		if !one.Floor {
			looks++
		}
		all = append(all, one)
	}
	return all
}

// samplesOf yields the samples of a cell's phase; of an empty one, those of all phases.
func samplesOf(c *result.Cell, phase string) iter.Seq[*judge.Sample] {
	return func(yield func(*judge.Sample) bool) {
		for i := range c.Results {
			for j := range c.Results[i].Samples {
				if s := &c.Results[i].Samples[j]; (phase == "" || s.Phase == phase) && !yield(s) {
					return
				}
			}
		}
	}
}

// reach is what an axis must reach to show the latencies of cells, in seconds; an empty phase is any.
func reach(phase string, cells ...*result.Cell) (low, high float64) {
	low, high = axisLow, axisHigh
	for _, c := range cells {
		for sample := range samplesOf(c, phase) {
			if !sample.Warmup && sample.Value > 0 && sample.Rate == 0 && sample.Stage == "" { // ramps and growths have no chart
				low, high = min(low, sample.Value), max(high, sample.Value)
			}
		}
	}
	return low, high
}

// style finds a style by its label; one without a result has a plain look.
func (s *study) style(label string) *style {
	found, _ := plain.Find(s.Styles, func(one *style) bool { return one.Label == label })
	return cmp.Or(found, &style{Label: label})
}

// style is what is compared, with its look.
type style struct {
	Label string
	Index int    // among all
	File  string // of its page, in Folder
	Floor bool
	Look  look
}

// look is how a style is drawn wherever it appears: a colour and the shape of its marks, so that colour is never the
// only signal. Its numbers are those of the classes in style.css.
type look struct{ colour, shape int }

// How many of each there are beside the floor's own, which is number 0. They
// share no divisor, so that looks repeat late.
const (
	colours = 9
	shapes  = 5
)

// lookOf is the look of the i-th style, from 0; the floor has its own.
func lookOf(i int, floor bool) look {
	if floor {
		return look{}
	}
	return look{colour: 1 + i%colours, shape: 1 + i%shapes}
}

// Class is the look as classes of style.css: the colour, and the shape that stands before a style's name.
func (l look) Class() string { return fmt.Sprintf("c%d s%d", l.colour, l.shape) }

// Mark is an SVG path of the look's shape, about 7 units wide, around its origin.
func (l look) Mark() string {
	return [...]string{
		"M-3.5 0h7m-3.5 -3.5v7",               // an upright cross
		"M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", // a disc
		"M-2.7 -2.7h5.4v5.4h-5.4z",            // a square
		"M0 -4l3.6 6.4h-7.2z",                 // a triangle
		"M0 -3.8l3.8 3.8l-3.8 3.8l-3.8 -3.8z", // a diamond
		"M0 4l3.6 -6.4h-7.2z",                 // a triangle upside down
	}[l.shape]
}
