package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// study is a report regrouped for the page: each number with the samples that it comes from.
type study struct {
	*report.Report
	Styles  []*style // the quickest first
	Scenes  []*scene
	heading string // names the run, where there are several
	x       *axis  // of all latencies
	// anchors are the ids that scenarios have on every style's page.
	anchors map[string]string
}

// scene is a scenario with a cell for each style that went through it.
type scene struct {
	Name  string
	Cells []*cell
}

// cell is one style in one scenario.
type cell struct {
	*result.Cell
	Style  *style
	series map[string]*series // by phase
}

// series are the samples of one phase of one cell, with what they sum up to.
type series struct {
	stat.Summary
	samples []*judge.Sample
}

// newStudy regroups a report. That of a run takes the styles' looks from those of the whole; nil: it is the whole.
func newStudy(r *report.Report, styles []*style) *study {
	s := &study{Report: r, Styles: stylesOf(r)}
	for i, one := range s.Styles {
		if at := slices.IndexFunc(styles, func(other *style) bool { return other.Label == one.Label }); at >= 0 {
			s.Styles[i] = styles[at]
		}
	}
	for _, name := range r.Scenarios {
		in := &scene{Name: name}
		for c := range r.Of(name) {
			if len(c.Results) > 0 { // else there is nothing to show
				in.Cells = append(in.Cells, newCell(c, s.style(c.Style.Label)))
			}
		}
		s.Scenes = append(s.Scenes, in)
	}
	s.x, s.anchors = logAxis(reach("", s.Scenes...)), map[string]string{}
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

// newCell takes a report's cell with its samples.
func newCell(c *result.Cell, of *style) *cell {
	one := &cell{Cell: c, Style: of, series: map[string]*series{}}
	for _, p := range c.Phases {
		one.series[p.Phase] = &series{Summary: p}
	}
	for i := range c.Results {
		for j := range c.Results[i].Samples {
			sample := &c.Results[i].Samples[j]
			if in := one.series[sample.Phase]; in != nil {
				in.samples = append(in.samples, sample)
			}
		}
	}
	return one
}

// reach is what an axis must reach to show the latencies of scenes, in seconds; an empty phase is any.
func reach(phase string, scenes ...*scene) (low, high float64) {
	low, high = axisLow, axisHigh
	for _, in := range scenes {
		for _, c := range in.Cells {
			for name, one := range c.series {
				for _, sample := range one.samples {
					if (phase == "" || name == phase) && !sample.Warmup && sample.Value > 0 {
						low, high = min(low, sample.Value), max(high, sample.Value)
					}
				}
			}
		}
	}
	return low, high
}

// style finds a style by its label; one without a result has a plain look.
func (s *study) style(label string) *style {
	if i := slices.IndexFunc(s.Styles, func(one *style) bool { return one.Label == label }); i >= 0 {
		return s.Styles[i]
	}
	return &style{Label: label}
}

// scene finds what was measured in a scenario; nil: nothing was.
func (s *study) scene(name string) *scene {
	if i := slices.IndexFunc(s.Scenes, func(in *scene) bool { return in.Name == name }); i >= 0 {
		return s.Scenes[i]
	}
	return nil
}

// floor is the scene's cell of the floor; nil: there is none.
func (in *scene) floor() *cell {
	if i := slices.IndexFunc(in.Cells, func(c *cell) bool { return c.Style.Floor }); i >= 0 {
		return in.Cells[i]
	}
	return nil
}

// outcome is when the operator had done its part, and when the cluster had; nil: it was not measured.
func (c *cell) outcome() (written, ready *series) {
	first, last := c.Outcome()
	return c.series[first.Phase], c.series[last.Phase]
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
