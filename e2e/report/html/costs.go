package html

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
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
	for _, q := range quantities() {
		for _, c := range s.Costs {
			add(q.title, q.name, c, q.of(c))
		}
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

// quantity is a figure of a cost.
type quantity struct {
	title, name string
	of          func(result.Cost) cost.Figure
}

func quantities() []quantity {
	const change, installed = "For each change", "While it is installed"
	return []quantity{
		{change, "CPU net", func(c result.Cost) cost.Figure { return c.BusyCPU }},
		{change, "pods", func(c result.Cost) cost.Figure { return c.PerChange(cost.Pods) }},
		{change, "custom objects", result.Cost.Made},
		{change, "API calls", func(c result.Cost) cost.Figure { return c.PerChange(cost.Calls) }},
		{change, "API writes", func(c result.Cost) cost.Figure { return c.PerChange(cost.Writes) }},
		{installed, "idle CPU", func(c result.Cost) cost.Figure { return c.IdleCPU }},
		{installed, "idle memory", func(c result.Cost) cost.Figure { return c.IdleMemory }},
		{installed, "peak memory", func(c result.Cost) cost.Figure { return c.PeakMemory }},
		{installed, "time to install", func(c result.Cost) cost.Figure { return c.Install }},
		{installed, "time to uninstall", func(c result.Cost) cost.Figure { return c.Uninstall }},
	}
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
	row := spread{Name: name, Style: c.Label(), Median: amount(f.Unit, f.Median())}
	if len(s.Runs) > 1 {
		row.Style += ", run " + c.Run
	}
	if least, most := f.Range(); amount(f.Unit, least) == amount(f.Unit, most) {
		row.Rounds = "the same in " + plain.Plural(len(f.Values), "round")
		return row
	}
	for i, v := range f.Values {
		if i > 0 {
			row.Rounds += ", "
		}
		row.Rounds += fmt.Sprintf("%d: %s", v.Round, amount(f.Unit, v.Value))
	}
	return row
}

// amount prints a quantity in its unit, as cost.Figure names it.
func amount(unit string, value float64) string {
	switch unit {
	case "s":
		return plain.Duration(value)
	case "bytes":
		return plain.Bytes(int64(value))
	case "cores":
		return fmt.Sprintf("%.2f%%", 100*value)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
}
