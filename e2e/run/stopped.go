package run

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// unfinished is said of a run until its end.
const unfinished = "the run did not come to its end, as if it was killed: what was asked for may not have been driven"

// early reports whether the run ended before all was driven. Of a gate's the gate says so.
func (rec *recording) early() bool { return !rec.complete && rec.base == nil }

// undriven says which scenarios came to no end, for each style, where the run ended early; "": each did, in one round
// at least.
func (rec *recording) undriven() string {
	if !rec.early() {
		return ""
	}
	all, err := rec.Judgement()
	if err != nil {
		return "the run ended before all was driven"
	}
	var parts []string
	for _, style := range rec.Styles() {
		var left []string
		asked := 0
		for _, scenario := range rec.Scenarios() {
			if !rec.Drives(style, scenario) {
				continue
			}
			if asked++; !slices.ContainsFunc(all.Results, func(r judge.Result) bool {
				return record.Label(r.Style, r.Variant) == style && r.Scenario == scenario && !r.Warmup && r.End != record.Interrupted
			}) {
				left = append(left, scenario)
			}
		}
		switch {
		case len(left) == 0:
		case len(left) == asked:
			parts = append(parts, fmt.Sprintf("%s: nothing of what was asked for", style))
		default:
			parts = append(parts, fmt.Sprintf("%s: %d of %d scenarios, %s", style, len(left), asked, strings.Join(left, ", ")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "the run ended before all was driven. What was not: " + strings.Join(parts, "; ")
}

// SoFar joins, of a run that ended before all was driven, what was not as expected until then; nil: nothing was.
func (rec *recording) SoFar() error {
	if !rec.early() || rec.file == nil {
		return nil
	}
	if err := rec.Wrong(); err != nil {
		return fmt.Errorf("not as expected so far:\n%w", err)
	}
	return nil
}
