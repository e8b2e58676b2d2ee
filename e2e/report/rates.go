package report

import (
	"fmt"
	"strconv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/table"
)

// RatesTable is how each style kept up with each load, and what it takes to keep so many.
func (r *Report) RatesTable() table.Table {
	t := table.Table{
		Title:  "Loads: written, from when each change was due",
		Header: []string{"load", "style", "n", "due/s", "written/s", "p50", "p99", "harness late p99", "held"}, Left: 2, Tail: true,
		Notes: []string{"A style holds a rate where all are written in time, and those of the last third do not wait more than twice as long as those of the first, and 0.25 s longer."},
	}
	for _, one := range r.Rates() {
		due := "at once"
		if one.Sent > 0 {
			due = plain.Digits(one.Sent)
		}
		late := "–" // older recordings do not say
		if one.Late > 0 {
			late = plain.Duration(one.Late.Seconds())
		}
		t.Rows = append(t.Rows, table.Texts(one.Scenario, one.Style, strconv.Itoa(one.N), due, plain.Digits(one.Done),
			plain.AtLeast(one.P50.Value, one.P50.Censored), plain.AtLeast(one.P99.Value, one.P99.Censored), late, one.Short()))
		if one.Sent > 0 && !one.Held() {
			t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", one.Scenario, one.Style, one.Text()))
			if sent := r.Sent(one.Style, one.Scenario); sent != "" {
				t.Notes = append(t.Notes, one.Scenario+": "+sent+".")
			}
			if machine := r.Machine(one.Style, one.Scenario); machine != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", one.Scenario, one.Style, machine))
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
	return t
}
