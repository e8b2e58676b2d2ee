package report

import (
	"operatorbench/e2e/cost"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// countedTable is what operators say of themselves in loads, beside what the API server saw.
func (r *Report) countedTable() table.Table {
	t := table.Table{
		Title:  "Loads: what the operator's own metrics count, beside the audit log, for each change",
		Header: []string{"load", "style", "changes", "reconciles", "requeues", "requests", "writes"}, Left: 2,
		Notes: []string{"changes: of custom resources, deletions among them; reconciles, requeues (to be looked at again later: after an error, or by a timer): by its own metrics; requests, writes: to the API server, those for leases left out."},
	}
	for _, one := range r.Counted() {
		each := func(f cost.Figure) string { return result.Amount("1", one.Each(f)) }
		t.Rows = append(t.Rows, table.Texts(one.Load, one.Style, result.Amount("1", one.Changes.Median()), each(one.Reconciles), each(one.Requeues), each(one.Requests), each(one.Writes)))
		t.Notes = append(t.Notes, one.Load+", "+one.Style+": "+one.Text()+".")
	}
	return t
}
