package run

import (
	"fmt"
	"strings"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/result"
)

// firstLook adds a row to the table that grows while styles take their turns: the latencies of the block that has just
// ended, until the main child was right (of delete: gone).
func (rec *recording) firstLook(what, label string, took time.Duration, err error) {
	block := result.New(nil, &rec.block)
	rec.block = judge.Judgement{}
	names := namesOf(rec.measured())
	const most = 6 // columns that a terminal has room for
	names = names[:min(len(names), most)]
	if !rec.headed {
		rec.headed = true
		row := fmt.Sprintf("%-12s %-18s", "", "median latency")
		for _, name := range names {
			row += fmt.Sprintf(" %*s", width(name), name)
		}
		rec.say("%s %7s %8s", row, "right", "took")
	}
	row := fmt.Sprintf("%-12s %-18s", what, label)
	for _, name := range names {
		row += fmt.Sprintf(" %*s", width(name), medianOf(block, name))
	}
	all := block.Count()
	row += fmt.Sprintf(" %7s %6.0f s", fmt.Sprintf("%d/%d", all.Passed, all.All()), took.Seconds())
	if err != nil {
		row += "  FAILED"
	}
	rec.say("%s", strings.TrimRight(row, " "))
}

func width(name string) int { return max(len(name), 10) }

// medianOf is a scenario's median in a block, or how many samples came too late.
func medianOf(block *result.Set, scenario string) string {
	for c := range block.Of(scenario) {
		switch written, _ := c.Outcome(); {
		case written.Censored > 0:
			return fmt.Sprintf("%d late", written.Censored)
		case written.N > 0:
			return written.P50.String()
		}
	}
	return "-"
}
