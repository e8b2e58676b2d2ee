package result

import (
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// Cells adds samples up by style and scenario. The zero value is ready.
type Cells struct {
	all []*Cell // in order of appearance
	at  map[key]*Cell
}

type key struct{ label, scenario string }

// Add takes one more sample.
func (c *Cells) Add(run string, result judge.Result) {
	at := key{record.Label(result.Style, result.Variant), result.Scenario}
	cell := c.at[at]
	if cell == nil {
		if c.at == nil {
			c.at = map[key]*Cell{}
		}
		cell = &Cell{Style: Style{at.label, result.Style, result.Variant}, Scenario: result.Scenario, Group: result.Group}
		c.at[at], c.all = cell, append(c.all, cell)
	}
	cell.add(run, result)
}

// Sum draws the conclusions, once all samples are there.
func (c *Cells) Sum() []*Cell {
	for _, cell := range c.all {
		cell.sum()
	}
	return c.all
}
