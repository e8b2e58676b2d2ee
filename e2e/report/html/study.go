package html

import (
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
)

// study is a report regrouped for the page: each number with the samples that
// it comes from.
type study struct {
	*report.Report
	ids    *ids
	Styles []*style
	Scenes []*scene
	thrift int // how much detail is left out, for the page's size
}

// style is what is compared, with its look.
type style struct {
	Label string
	Floor bool
	Look  look
	ID    string
}

// scene is a scenario with a cell for each style that went through it.
type scene struct {
	Name, ID string
	Cells    []*cell
	Common   []string // the phases that every style has
	Inner    []string // those of one style alone
}

// cell is one style in one scenario.
type cell struct {
	*result.Cell
	Style  *style
	ID     string
	series map[string]*series // by phase
}

// series are the samples of one phase of one cell, with what they sum up to.
type series struct {
	stat.Summary
	ID       string         // of its table of samples
	lines    []int          // of samples.jsonl, from 1, in order
	samples  []judge.Sample // all of the report's
	manyRuns bool           // a round is known by its run too
}

// newStudy regroups a report.
func newStudy(r *report.Report) *study {
	s := &study{Report: r, ids: newIDs()}
	byLabel := map[string]*style{}
	for _, label := range r.Styles {
		one := &style{Label: label, ID: s.ids.of("style", label)}
		byLabel[label] = one
		s.Styles = append(s.Styles, one)
	}
	byName := map[string]*scene{}
	for _, name := range r.Scenarios {
		byName[name] = &scene{Name: name, ID: s.ids.of("scenario", name)}
		s.Scenes = append(s.Scenes, byName[name])
	}
	lines := linesOf(r.Samples)
	for _, c := range r.Cells {
		in, of := byName[c.Scenario], byLabel[c.Style.Label]
		if in == nil || of == nil {
			continue // a cell without a result: there is nothing to show
		}
		of.Floor = of.Floor || c.IsFloor()
		in.Cells = append(in.Cells, s.cell(c, of, lines))
	}
	for _, one := range s.Scenes {
		one.Common, one.Inner = phases(r.Phases(one.Name))
	}
	looks := 0
	for _, one := range s.Styles {
		one.Look = lookOf(looks, one.Floor)
		if !one.Floor {
			looks++
		}
	}
	return s
}

// cell takes a report's cell with its samples.
func (s *study) cell(c *result.Cell, of *style, lines map[stat.Key][]int) *cell {
	one := &cell{Cell: c, Style: of, ID: s.ids.of("cell", c.Style.Label, c.Scenario), series: map[string]*series{}}
	for _, p := range c.Phases {
		found := &series{Summary: p, samples: s.Samples, manyRuns: len(s.Report.Runs) > 1}
		found.lines = lines[stat.Key{Operator: c.Style.Name, Variant: c.Style.Variant, Scenario: c.Scenario, Phase: p.Phase}]
		found.ID = s.ids.of("samples", c.Style.Label, c.Scenario, p.Phase)
		one.series[p.Phase] = found
	}
	return one
}

// linesOf are the lines of samples.jsonl, by what they measure.
func linesOf(samples []judge.Sample) map[stat.Key][]int {
	lines := map[stat.Key][]int{}
	for i, one := range samples {
		key := stat.Key{Operator: one.Operator, Variant: one.Variant, Scenario: one.Scenario, Phase: one.Phase}
		lines[key] = append(lines[key], i+1)
	}
	return lines
}

// phases parts the phases that all styles have from inner ones.
func phases(names []string) (common, inner []string) {
	standard := judge.Phases()
	for _, name := range names {
		if slices.Contains(standard, name) {
			common = append(common, name)
		} else {
			inner = append(inner, name)
		}
	}
	return common, inner
}

// floor is the scene's cell of the floor; nil: there is none.
func (s *scene) floor() *cell {
	for _, c := range s.Cells {
		if c.Style.Floor {
			return c
		}
	}
	return nil
}

// outcome names the phases at which the operator had done its part, and at
// which the cluster had: result.Cell.Outcome, by name.
func (c *cell) outcome() (written, ready string) {
	for _, p := range c.Phases {
		if p.Phase == judge.PhaseChildGone || p.Phase == judge.PhasePodsGone {
			return judge.PhaseChildGone, judge.PhasePodsGone
		}
	}
	return judge.PhaseChildWritten, judge.PhaseReady
}
