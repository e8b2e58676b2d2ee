package report

import (
	"fmt"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// RatesTable is how each style kept up with each load, and what it takes to keep so many.
func (r *Report) RatesTable() table.Table {
	all := tables[result.Rate]{columns: result.RateColumns()}
	t := all.under("Loads: written, from when each change was due",
		"A style holds a rate where all are written in time, and those of the last third do not wait more than twice as long as those of the first, and 0.25 s longer.")
	for _, one := range r.Rates() {
		all.add(one)
		if one.Sent > 0 && !one.Held() {
			t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", one.Scenario, one.Style, one.Text()))
			if sent := r.Sent(one.Style, one.Scenario); sent != "" {
				t.Notes = append(t.Notes, one.Scenario+": "+sent+".")
			}
			if strain := r.Strain(one.Style, one.Scenario); strain != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", one.Scenario, one.Style, strain))
			}
		}
	}
	for _, c := range r.Beside {
		for _, held := range c.Growth {
			text := fmt.Sprintf("%s keeps %d custom resources with %s", c.Label(), held.Customs, plain.Bytes(int64(held.Memory.Median())))
			if slope, known := c.Slope(); known && held.Customs == c.Growth[len(c.Growth)-1].Customs {
				text += fmt.Sprintf(", %s more for each thousand", plain.Bytes(int64(slope)))
			}
			t.Notes = append(t.Notes, text+".")
		}
	}
	return *t
}
