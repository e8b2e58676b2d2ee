// Package report prints what a run found, all from the same cells: tables for the terminal, summaries in Markdown,
// JSON, JUnit XML, Go's benchmark format, and the samples as JSON Lines. Package report/html adds a page.
package report

import (
	"strings"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
)

// Report is what every format is printed from.
type Report struct{ *result.Set }

// New is the report of judged recordings of one environment, which may be nil where it is not known.
func New(environment *record.Environment, judgements ...*judge.Judgement) *Report {
	return &Report{result.New(environment, judgements...)}
}

// Of is the report of recordings.
func Of(recordings ...result.Recording) *Report { return &Report{result.Of(recordings...)} }

// Tables are the reports of single runs: see result.Set.Tables.
func (r *Report) Tables() []*Report {
	return plain.Map(r.Set.Tables(), func(one *result.Set) *Report { return &Report{one} })
}

// Heading names a run of a report, where it was made and in how many rounds; empty where there is no other run.
func (r *Report) Heading(of *Report) string {
	if len(of.Set.Tables()) == 1 {
		return ""
	}
	text := "Run " + strings.Join(r.Runs, ", ") + ": " + r.RoundsText()
	if e := r.Environment; e != nil {
		text += "; " + e.Host.String() + "; " + e.Place() + "; " + e.Began.UTC().Format(time.DateOnly)
	}
	return text
}

// SeveralNote says what several tables of latencies mean.
const SeveralNote = "Each run has its own table: ranks, ratios and the floor compare within one run alone. " + record.MachineNote
