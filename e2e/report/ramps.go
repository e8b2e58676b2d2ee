package report

import (
	"fmt"
	"strconv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// rampsTable is how each style went through a ramp, step by step, and what each holds.
func (r *Report) rampsTable() table.Table {
	t := table.Table{
		Title:  "Ramps: how many changes a second are held",
		Header: []string{"ramp", "style", "round", "due/s", "n", "written/s", "p50", "p99", "lost", "unsent", "acknowledged p99", "harness late p99", "held", "gave out"}, Left: 2, Tail: true,
	}
	for _, one := range r.Ramps() {
		for i := range one.Climbs {
			climb := &one.Climbs[i]
			for j := range climb.Steps {
				t.Rows = append(t.Rows, stepRow(&one, climb.Round, &climb.Steps[j]))
			}
			if climb.Differs != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, %s, round %d: %s.", one.Scenario, one.Style, climb.Round, climb.Differs))
			}
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", one.Scenario, one.Style, one.Text()))
	}
	t.Notes = append(t.Notes, "A step in which the harness, the API server or the machine gave out is not held against the style.")
	return t
}

func stepRow(ramp *result.Ramp, round int, s *result.Step) []table.Cell {
	held := "no"
	if s.Held() {
		held = "yes"
	}
	return table.Texts(ramp.Scenario, ramp.Style, strconv.Itoa(round), strconv.Itoa(s.Due), strconv.Itoa(s.N), plain.Digits(s.Done), s.P50.String(), s.P99.String(),
		strconv.Itoa(s.Lost), strconv.Itoa(s.Unsent), s.Acknowledged.String(), plain.Duration(s.Late.Seconds()), held, s.GaveOut)
}
