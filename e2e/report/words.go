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

// figures are p50, p90 and max; a dash where nothing counts, or there are too few for a quantile.
func figures(s stat.Summary) [3]string {
	if s.N == 0 {
		return [3]string{unknown, unknown, unknown}
	}
	return [3]string{s.P50.String(), shown(&s, 0.9, s.P90), s.Max.String()}
}

// shown is a quantile, or a dash where there are too few latencies for it.
func shown(s *stat.Summary, p float64, o stat.Observation) string {
	if !s.Shows(p) {
		return unknown
	}
	return o.String()
}

// warmupNote says what warm-up rounds count for; empty: there are none.
func (r *Report) warmupNote() string {
	n := plain.Sum(r.Cells, func(c *result.Cell) int { return c.Warmups })
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Verdicts count %s; latencies leave them out.", plain.Plural(n, "warm-up sample"))
}
