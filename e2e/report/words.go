package report

import (
	"fmt"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
)

const unknown = plain.Unknown

// teller leaves out what was said about a style already: each oracle's message, with the first scenario that had it.
type teller map[string]string

// reasons are the oracles that say why a cell did not pass.
func (t teller) reasons(c *result.Cell) []result.Oracle {
	all := c.Reasons()
	for i, o := range all {
		said := strings.Join(append([]string{o.Name, o.Message}, o.Evidence...), "\n")
		switch before, again := t[said]; {
		case len(o.Evidence) == 0: // it is short enough
		case again:
			all[i].Message, all[i].Evidence = "as in "+before, nil
		default:
			t[said] = c.Scenario
		}
	}
	return all
}

// figures are p50 and max; a dash where nothing counts.
func figures(s stat.Summary) (p50, most string) {
	if s.N == 0 {
		return unknown, unknown
	}
	return s.P50.String(), s.Max.String()
}

// warmupNote says what warm-up rounds count for; empty: there are none.
func (r *Report) warmupNote() string {
	n := plain.Sum(r.Cells, func(c *result.Cell) int { return c.Warmups })
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Verdicts count %s; latencies leave them out.", plain.Plural(n, "warm-up sample"))
}
