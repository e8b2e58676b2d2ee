package report

import (
	"fmt"
	"strconv"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// mostCalls is how many kinds of requests at rest are told of.
const mostCalls = 4

// growthTables are what each style takes at each number of custom resources.
func (r *Report) growthTables() []table.Table {
	var all []table.Table
	for _, one := range r.Growths() {
		title := one.Scenario + ": one custom resource more, and what keeping them takes"
		if len(all) == 0 || all[len(all)-1].Title != title {
			all = append(all, table.Table{
				Title:  title,
				Header: []string{"style", "there", "n", "p50", "p99", "floor", "p99", "lost", "memory", "CPU", "req/min"}, Left: 1,
				Notes: []string{
					"p50, p99: from when one more was due until it is written for, and beside it the floor's; memory, CPU, requests: of all pods of the operator, while nothing is asked of it.",
				},
			})
		}
		t := &all[len(all)-1]
		for i := range one.Levels {
			t.Rows = append(t.Rows, levelRow(one.Style, &one.Levels[i]))
		}
		t.Notes = append(t.Notes, growthNotes(&one)...)
	}
	return all
}

func levelRow(style string, l *result.Level) []table.Cell {
	floor50, floor99, memory, cpu, requests := plain.Unknown, plain.Unknown, plain.Unknown, plain.Unknown, plain.Unknown
	if l.Floor != nil {
		floor50, floor99 = l.Floor.P50.String(), l.Floor.P99.String()
	}
	amount := func(f cost.Figure) string {
		if !f.Known() {
			return plain.Unknown
		}
		return result.Amount(f.Unit, f.Median())
	}
	if l.Rest != nil {
		memory, cpu, requests = amount(l.Rest.Memory), amount(l.Rest.CPU), amount(l.Rest.Requests)
	}
	return table.Texts(style, strconv.Itoa(l.Customs), strconv.Itoa(l.More.N), l.More.P50.String(), l.More.P99.String(), floor50, floor99,
		strconv.Itoa(l.More.Lost), memory, cpu, requests)
}

// growthNotes say what a style takes, what it asks for at rest, and what all that took the harness.
func growthNotes(g *result.Growth) []string {
	notes := []string{g.Style + ": " + g.Text() + "."}
	if n := len(g.Levels); n > 0 && g.Levels[n-1].Rest != nil {
		var calls []string
		for _, call := range g.Levels[n-1].Rest.Calls {
			if len(calls) < mostCalls {
				calls = append(calls, fmt.Sprintf("%s %s %s", call.Verb, call.Resource, result.Amount("1", call.PerMinute)))
			}
		}
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
