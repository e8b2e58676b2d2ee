package report

import (
	"cmp"
	"fmt"
	"strconv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// rampTables are how each style went through each ramp, step by step, and what it holds.
func (r *Report) rampTables() []table.Table {
	var all []table.Table
	for _, one := range r.Ramps() {
		title := one.Scenario + ": how many changes a second are held"
		if len(all) == 0 || all[len(all)-1].Title != title {
			all = append(all, table.Table{
				Title:  title,
				Header: []string{"style", "r", "due/s", "n", "done/s", "p50", "p99", "lost", "accepted", "late", "gave out"}, Left: 1, Tail: true,
				Notes: []string{
					"r: round; n: changes, or of how many it is known when they were written; accepted: by the API server, from when it was sent (p99); late: how much later than it was due (p99). A rate at which nothing gave out was held. What the harness, the API server or the machine did not hold is not held against the style.",
				},
			})
		}
		t := &all[len(all)-1]
		for i := range one.Climbs {
			climb := &one.Climbs[i]
			for j := range climb.Steps {
				t.Rows = append(t.Rows, stepRow(one.Style, climb.Round, &climb.Steps[j]))
			}
			if climb.Differs != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, round %d: %s.", one.Style, climb.Round, climb.Differs))
			}
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s %s.", one.Style, one.Text()))
		if sent := r.Sent(one.Style, one.Scenario); sent != "" {
			t.Notes = append(t.Notes, sent+".")
		}
	}
	return all
}

func stepRow(style string, round int, s *result.Step) []table.Cell {
	n := strconv.Itoa(s.N)
	if s.Unknown > 0 {
		n = fmt.Sprintf("%d/%d", s.N, s.N+s.Unknown)
	}
	return table.Texts(style, strconv.Itoa(round), strconv.Itoa(s.Due), n, plain.Digits(s.Done), s.P50.String(), s.P99.String(),
		strconv.Itoa(s.Lost), s.Acknowledged.String(), plain.Duration(s.Late.Seconds()), cmp.Or(s.GaveOut, plain.Unknown))
}
