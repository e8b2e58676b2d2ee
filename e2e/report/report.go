// Package report prints what a run found, all from the same cells: tables for the terminal, summaries in Markdown,
// JSON, JUnit XML, Go's benchmark format, and the samples as JSON Lines. Package report/html adds a page.
package report

import (
	"fmt"
	"slices"
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
	return r.Name() + ": " + r.Made()
}

// Name is that of a run.
func (r *Report) Name() string { return "Run " + strings.Join(r.Runs, ", ") }

// Made says in how many rounds a run was made, on what and when.
func (r *Report) Made() string {
	text := r.RoundsText()
	if e := r.Environment; e != nil {
		text += "; " + e.Host.String() + "; " + e.Place() + "; " + e.Began.UTC().Format(time.DateOnly)
	}
	return text
}

// Days are those on which the recordings began, such as "from 23 to 25 November 2026"; empty: they are not known.
func (r *Report) Days() string {
	began := plain.Pick(r.Parts, func(p result.Part) (time.Time, bool) {
		if p.Environment == nil {
			return time.Time{}, false
		}
		return p.Environment.Began.UTC(), true
	})
	if len(began) == 0 {
		return ""
	}
	const day = "2 January 2006"
	first, last := slices.MinFunc(began, time.Time.Compare), slices.MaxFunc(began, time.Time.Compare)
	switch from, to := first.Format(day), last.Format(day); {
	case from == to:
		return "on " + to
	case first.Year() == last.Year() && first.Month() == last.Month():
		return fmt.Sprintf("from %d to %s", first.Day(), to)
	default:
		return fmt.Sprintf("from %s to %s", from, to)
	}
}

// SeveralNote says what several tables of latencies mean.
const SeveralNote = "Each run has its own table: ranks, ratios and the floor compare within one run alone. " + record.MachineNote
