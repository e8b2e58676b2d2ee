package report

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// tables are of rows that are no styles, with all of their columns.
type tables[Row any] struct {
	columns []result.ColumnOf[Row]
	sheet   sheet // whose cells they have
	all     []table.Table
}

// under returns the table of a title: the last one, or a new one with a note on its columns and a rule.
func (t *tables[Row]) under(title, rule string) *table.Table {
	if n := len(t.all); n == 0 || t.all[n-1].Title != title {
		one := table.Table{Title: title}
		var texts []string
		for _, c := range t.columns {
			one.Header, one.Words = append(one.Header, c.Head), append(one.Words, c.Words)
			if c.Text != "" {
				texts = append(texts, c.Head+": "+c.Text)
			}
		}
		one.Notes = []string{strings.TrimSpace(strings.Join(texts, "; ") + ". " + rule)}
		t.all = append(t.all, one)
	}
	return &t.all[len(t.all)-1]
}

// add adds a row to the last table.
func (t *tables[Row]) add(row Row) {
	last := &t.all[len(t.all)-1]
	last.Rows = append(last.Rows, plain.Map(t.columns, func(c result.ColumnOf[Row]) table.Cell { return t.sheet.cell(c.Of(row)) }))
}

// RatesTable is how each style kept up with each load.
func (r *Report) RatesTable() table.Table {
	all := tables[result.Rate]{columns: result.RateColumns()}
	t := all.under("Loads: written, from when each change was due",
		"A style holds a rate where all are written in time, and those of the last third do not wait more than twice as long as those of the first, and 0.25 s longer.")
	for _, one := range r.Rates() {
		all.add(one)
		if one.Sent == 0 || one.Held() {
			continue
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", one.Scenario, one.Style, one.Text()))
		if sent := r.Sent(one.Style, one.Scenario); sent != "" {
			t.Notes = append(t.Notes, one.Scenario+": "+sent+".")
		}
		if strain := r.Strain(one.Style, one.Scenario); strain != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", one.Scenario, one.Style, strain))
		}
	}
	return *t
}

// rampTables are what each style holds in each ramp, and how it went through it, step by step.
func (r *Report) rampTables() (held, byStep []table.Table) {
	limits := tables[*result.Ramp]{columns: result.HeldColumns(), sheet: sheet{intervals: true}}
	steps := tables[*result.Step]{columns: result.StepColumns()}
	for _, one := range r.Ramps() {
		limit := limits.under(one.Scenario+": how many changes a second are held", "")
		limits.add(&one)
		limit.Notes = append(limit.Notes, fmt.Sprintf("%s %s.", one.Style, one.Text()))
		if sent := r.Sent(one.Style, one.Scenario); sent != "" {
			limit.Notes = append(limit.Notes, sent+".")
		}
		step := steps.under(one.Scenario+", step by step",
			"A rate at which nothing gave out was held. What the harness, the API server or the machine did not hold is not held against the style.")
		for i := range one.Climbs {
			climb := &one.Climbs[i]
			for j := range climb.Steps {
				steps.add(&climb.Steps[j])
			}
			if climb.Differs != "" {
				step.Notes = append(step.Notes, fmt.Sprintf("%s, round %d: %s.", one.Style, climb.Round, climb.Differs))
			}
		}
	}
	return limits.all, steps.all
}

// mostCalls is how many kinds of requests at rest are told of.
const mostCalls = 4

// growthTables are what each style takes at each number of custom resources, and how it came back with the most.
func (r *Report) growthTables() []table.Table {
	all := tables[*result.Level]{columns: result.LevelColumns()}
	backs := tables[*result.Growth]{columns: result.BackColumns(), sheet: sheet{intervals: true}}
	for _, one := range r.Growths() {
		t := all.under(one.Scenario+": one custom resource more, and what keeping them takes", "")
		for i := range one.Levels {
			all.add(&one.Levels[i])
		}
		t.Notes = append(t.Notes, growthNotes(&one)...)
		if one.Back != nil {
			backs.under(one.Scenario+": stopped, and started again", "")
			backs.add(&one)
		}
	}
	return slices.Concat(all.all, backs.all)
}

// growthNotes say what a style takes, what it asks for at rest, and what all that took the harness.
func growthNotes(g *result.Growth) []string {
	notes := []string{g.Style + ": " + g.Text() + "."}
	if n := len(g.Levels); n > 0 && g.Levels[n-1].Rest != nil {
		all := g.Levels[n-1].Rest.Calls
		calls := plain.Map(all[:min(len(all), mostCalls)], func(call cost.Call) string {
			return fmt.Sprintf("%s %s %s", call.Verb, call.Resource, result.Amount("1", call.PerMinute))
		})
		if len(calls) > 0 {
			notes = append(notes, fmt.Sprintf("%s, requests a minute at rest with %d: %s.", g.Style, g.Levels[n-1].Customs, strings.Join(calls, ", ")))
		}
	}
	if text := harnessText(g.Kept); text != "" {
		notes = append(notes, g.Style+", "+text+".")
	}
	return notes
}

// harnessText is what it took the harness to create the custom resources and to record them: as much for each entry,
// however many there are.
func harnessText(kept []cost.Kept) string {
	var each, share []string
	var most int64
	for _, k := range kept {
		most = max(most, k.Memory)
		if k.Stage != record.StageFill || k.Entries == 0 || k.Seconds <= 0 {
			continue
		}
		each = append(each, fmt.Sprintf("%.2f ms from %d on", 1000*k.CPU/float64(k.Entries), k.Customs))
		share = append(share, fmt.Sprintf("%.0f%%", 100*k.CPU/k.Seconds))
	}
	if len(each) == 0 {
		return ""
	}
	return fmt.Sprintf("the harness for each entry of the recording: %s (%s of a core); at most %s", strings.Join(each, ", "), strings.Join(share, ", "), plain.Bytes(most))
}

// countedTables are what operators say of themselves in loads, beside what the API server saw.
func (r *Report) countedTables() []table.Table {
	all := tables[*result.Counted]{columns: result.CountedColumns()}
	for _, one := range r.Counted() {
		t := all.under("Loads: what the operator's own metrics count, beside the audit log", "")
		all.add(&one)
		t.Notes = append(t.Notes, one.Load+", "+one.Style+": "+one.Text()+".")
	}
	return all.all
}
