package html

import (
	"fmt"
	"slices"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
)

// spread is a quantity of one style over rounds.
type spread struct {
	Name, Style           string
	Median, Range, Rounds string // Range: the least and the most; empty where all rounds are alike
}

// spreads are a group of quantities.
type spreads struct {
	Title string
	Rows  []spread
}

// spreads are what styles use, in every round: the figures that the table of costs
// has the medians of, then CPU time by component and the counters of each scenario.
func (s *study) spreads() []spreads {
	var all []spreads
	add := func(title, name string, c result.Cost, f cost.Figure) {
		if !f.Known() {
			return
		}
		i := slices.IndexFunc(all, func(g spreads) bool { return g.Title == title })
		if i < 0 {
			i, all = len(all), append(all, spreads{Title: title})
		}
		all[i].Rows = append(all[i].Rows, s.spread(name, c, f))
	}
	for i := range report.CostColumns(result.Cost{}) {
		for _, c := range s.Costs {
			one := report.CostColumns(c)[i]
			add("Of all components", one.Name, c, one.Figure)
		}
	}
	for _, c := range s.Costs {
		add("Of all components", "uninstall", c, c.Uninstall)
	}
	for _, c := range s.Costs {
		for _, one := range c.ComponentCPU {
			add("CPU time for each change, by component, idle use included", one.Component, c, one.Figure)
		}
	}
	for _, in := range s.Scenes {
		for _, c := range s.Costs {
			for _, one := range c.Counters {
				if one.Scenario == in.Name {
					add("Counts of one change: "+in.Name, one.Name, c, figureOf(one))
				}
			}
		}
	}
	return all
}

// figureOf is a counter as a figure.
func figureOf(c cost.Counter) cost.Figure {
	f := cost.Figure{Unit: "1"}
	for _, v := range c.Values {
		f.Values = append(f.Values, cost.Value{Round: v.Round, Value: float64(v.Value)})
	}
	return f
}

func (s *study) spread(name string, c result.Cost, f cost.Figure) spread {
	row := spread{Name: name, Style: c.Label(), Median: report.Amount(f.Unit, f.Median())}
	if len(s.Runs) > 1 {
		row.Style += ", run " + c.Run
	}
	if least, most := f.Range(); report.Amount(f.Unit, least) == report.Amount(f.Unit, most) {
		row.Rounds = "the same in " + plain.Plural(len(f.Values), "round")
		return row
	}
	for i, v := range f.Values {
		if i > 0 {
			row.Rounds += ", "
		}
		row.Rounds += fmt.Sprintf("%d: %s", v.Round, report.Amount(f.Unit, v.Value))
	}
	return row
}
