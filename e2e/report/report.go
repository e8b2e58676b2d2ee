// Package report prints what a run found, all from the same cells: tables for
// the terminal, summaries in Markdown, JSON, JUnit XML, Go's benchmark format,
// and the samples as JSON Lines. Package report/html adds a page.
package report

import (
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
)

// Report is what every format is printed from.
type Report struct{ *result.Set }

// New is the report of judged recordings of one environment, which may be nil
// where it is not known.
func New(environment *record.Environment, judgements ...*judge.Judgement) *Report {
	return &Report{result.New(environment, judgements...)}
}

// Of is the report of recordings.
func Of(recordings ...result.Recording) *Report { return &Report{result.Of(recordings...)} }
