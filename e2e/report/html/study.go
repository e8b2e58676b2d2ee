package html

import (
	"math"
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// study is a report regrouped for the page: each number with the samples that
// it comes from.
type study struct {
	*report.Report
	ids    *ids
	Styles []*style
	Scenes []*scene
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
	*report.Cell
	Style  *style
	ID     string
	series map[string]*series // by phase
}

// series are the samples of one phase of one cell.
type series struct {
	Phase    string
	ID       string         // of its table of samples
	lines    []int          // of samples.jsonl, from 1, in order
	ordered  stat.Ordered   // those that count
	Wrong    int            // not counted, because an oracle failed
	Unknown  int            // not counted, because the run or a watch was interrupted
	Warmups  int            // not counted, because they only warmed up
	samples  []judge.Sample // all of the report's
	manyRuns bool           // a round is known by its run too
}

// N is how many samples count, the censored ones included.
func (s *series) N() int { return s.ordered.Len() }

// Censored is how many of them timed out.
func (s *series) Censored() int {
	n := 0
	for rank := s.N(); rank > 0 && s.ordered.At(rank).Censored; rank-- {
		n++
	}
	return n
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
	grouped := group(r.Samples)
	for _, c := range r.Cells {
		in, of := byName[c.Scenario], byLabel[c.Label]
		if in == nil || of == nil {
			continue // a cell without a result: there is nothing to show
		}
		of.Floor = of.Floor || c.Style == report.Floor
		in.Cells = append(in.Cells, s.cell(c, of, grouped))
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
func (s *study) cell(c *report.Cell, of *style, grouped map[stat.Key]*series) *cell {
	one := &cell{Cell: c, Style: of, ID: s.ids.of("cell", c.Label, c.Scenario), series: map[string]*series{}}
	for _, p := range c.Phases {
		if found := grouped[stat.Key{Operator: c.Style, Variant: c.Variant, Scenario: c.Scenario, Phase: p.Phase}]; found != nil {
			found.manyRuns = len(s.Report.Runs) > 1
			found.ID = s.ids.of("samples", c.Label, c.Scenario, p.Phase)
			one.series[p.Phase] = found
		}
	}
	return one
}

// group sorts samples by what they measure.
func group(samples []judge.Sample) map[stat.Key]*series {
	groups := map[stat.Key]*series{}
	observed := map[*series][]stat.Observation{}
	for i := range samples {
		one := &samples[i]
		key := stat.Key{Operator: one.Operator, Variant: one.Variant, Scenario: one.Scenario, Phase: one.Phase}
		g := groups[key]
		if g == nil {
			g = &series{Phase: one.Phase, samples: samples}
			groups[key] = g
		}
		g.lines = append(g.lines, i+1)
		if o, counts := g.take(one); counts {
			observed[g] = append(observed[g], o)
		}
	}
	for g, observations := range observed {
		g.ordered = stat.Order(observations)
	}
	return groups
}

// take counts a sample; true: as an observation.
func (s *series) take(one *judge.Sample) (stat.Observation, bool) {
	switch {
	case one.Warmup:
		s.Warmups++
	case one.Outcome == judge.Wrong:
		s.Wrong++
	case one.Outcome != judge.OK && one.Outcome != judge.Timeout, math.IsNaN(one.Value):
		s.Unknown++
	default:
		return stat.Observation{Value: one.Value, Censored: one.Outcome == judge.Timeout}, true
	}
	return stat.Observation{}, false
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

// floor is the scene's cell of the null operator; nil: there is none.
func (s *scene) floor() *cell {
	for _, c := range s.Cells {
		if c.Style.Floor {
			return c
		}
	}
	return nil
}

// outcome names the phases at which the operator had done its part, and at
// which the cluster had: report.Cell.Outcome, by name.
func (c *cell) outcome() (written, ready string) {
	for _, p := range c.Phases {
		if p.Phase == judge.PhaseChildGone || p.Phase == judge.PhasePodsGone {
			return judge.PhaseChildGone, judge.PhasePodsGone
		}
	}
	return judge.PhaseChildWritten, judge.PhaseReady
}
