package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// dots are the samples of one style in one phase on an axis. All places are percent, so that they fit any width: the
// one chart of latencies that there is, on the page in each row of a table, and in the picture for README.md.
type dots struct {
	Class    string  // the style's
	Samples  string  // path of those that count, each a dot
	Whiskers string  // path of the median's interval; empty: none can be had
	Arrows   []point // of those that timed out
	Crosses  []point // of those that were wrong
	Median   string  // place of the median's mark; empty: no latency counts
	Mark     string  // path of its shape
	Floor    string  // place of the floor's median; empty: it is not known
}

// point is a place in a chart.
type point struct{ X, Y string }

// Where dots stand, in percent of a row's height: below the median, which would hide them.
const (
	dotsAt = 70
	lanes  = 5
	lane   = 6 // apart
)

// near is how near dots must be, in percent, to be one: hardly a screen tells them apart.
const near = 0.5

// dotsOf draws what a cell's samples of a phase say. Marks that would hide each
// other wholly are one, where distance, in percent, says how near that is.
func dotsOf(c *result.Cell, one stat.Summary, look look, x *axis, distance float64) *dots {
	d := &dots{Class: look.Class(), Mark: look.Mark()}
	var samples strings.Builder
	seen := map[point]bool{}
	i := -1
	for sample := range samplesOf(c, one.Phase) {
		if i++; sample.Warmup || math.IsNaN(sample.Value) {
			continue
		}
		where := x.at(sample.Value)
		if distance > 0 {
			where = math.Round(where/distance) * distance
		}
		p := point{place(where), place(float64(dotsAt + lane*(i%lanes-lanes/2)))} // equal samples can be told apart
		if distance > 0 && seen[p] {
			continue
		}
		seen[p] = true
		switch sample.Outcome {
		case judge.OK:
			fmt.Fprintf(&samples, "M%s %sh.1", p.X, p.Y)
		case judge.Timeout:
			d.Arrows = append(d.Arrows, p)
		case judge.Wrong:
			d.Crosses = append(d.Crosses, p)
		}
	}
	d.Samples = samples.String()
	if one.N > 0 {
		d.Median = place(x.at(one.P50.Value))
	}
	if i := one.CI50; i != nil {
		from, to := place(x.at(i.Low.Value)), place(x.at(i.High.Value))
		d.Whiskers = fmt.Sprintf("M%[1]s 12V48M%[1]s 30H%[2]s", from, to)
		if !i.High.Censored { // else its end is only known to lie further right
			d.Whiskers += fmt.Sprintf("M%s 12V48", to)
		}
	}
	if floor, there := c.Floor(one.Phase); there {
		d.Floor = place(x.at(floor.P50.Value))
	}
	return d
}

// latencies is a table of a style's latencies: a group for each scenario, with a row for each phase and a chart in it.
type latencies struct {
	ID, Title string
	Plots     bool     // its rows have charts
	Heads     []string // of the quantiles that some row has
	Groups    []phaseGroup
	Notes     []string // what there are too few samples for
}

// Columns is how many the table has.
func (t *latencies) Columns() int {
	if t.Plots {
		return 5 + len(t.Heads)
	}
	return 4 + len(t.Heads)
}

// phaseGroup are the rows of one scenario: a phase each.
type phaseGroup struct {
	Scenario string
	Ratio    string // to the reference
	Rows     []latencyRow
}

// latencyRow is one phase.
type latencyRow struct {
	Phase, Text string   // Text says it in words; empty: the name does
	Dots        *dots    // nil: the table has no charts
	Figures     []figure // one for each of the table's heads
	Max         string
	Beside      string // the median to the floor's, or the floor's
	N           string // with the rounds
	Apart       string // what is not counted, or only bounded
}

// figure is a quantile with its interval; empty where none can be had.
type figure struct{ Value, Interval string }

// latencies are those of a style's cells, of the phases that all styles have or of its own; nil: it has none.
func (s *study) latencies(cells []*result.Cell, id, title string, inner bool) *latencies {
	phases := func(c *result.Cell) []stat.Summary {
		return plain.Pick(s.Phases(c.Scenario), func(name string) (stat.Summary, bool) {
			one, there := c.Phase(name)
			return one, there && spec.Inner(name) == inner
		})
	}
	all := plain.Flat(cells, phases)
	if len(all) == 0 {
		return nil
	}
	t := &latencies{ID: id, Title: title, Plots: !inner}
	shown := t.quantiles(all)
	for _, c := range cells {
		g := phaseGroup{Scenario: c.Scenario}
		if ratio := s.Value(c.Style.Label, result.Times(c.Scenario)); ratio.Text != "" && !inner {
			g.Ratio = "× " + result.Reference + " " + ratio.Text + " " + ratio.From()
		}
		for _, one := range phases(c) {
			row := s.latencyRow(c, one, shown)
			if t.Plots {
				row.Dots = dotsOf(c, one, s.style(c.Style.Label).Look, s.x, near)
			}
			g.Rows = append(g.Rows, row)
		}
		if len(g.Rows) > 0 {
			t.Groups = append(t.Groups, g)
		}
	}
	return t
}

// quantiles are those that some row has, for the heads; what there are too few latencies for is noted.
func (t *latencies) quantiles(all []stat.Summary) []float64 {
	var shown []float64
	for _, p := range []float64{0.5, 0.9, 0.99} {
		if p == 0.5 || slices.ContainsFunc(all, func(one stat.Summary) bool { return one.Shows(p) }) {
			shown, t.Heads = append(shown, p), append(t.Heads, fmt.Sprintf("p%g", 100*p))
		}
		if p != 0.5 && slices.ContainsFunc(all, func(one stat.Summary) bool { return !one.Shows(p) }) {
			t.Notes = append(t.Notes, fmt.Sprintf("p%g takes n = %d", 100*p, stat.Needed(p)))
		}
	}
	if slices.ContainsFunc(all, func(one stat.Summary) bool { return one.Rounds < stat.MinRounds }) {
		t.Notes = append(t.Notes, fmt.Sprintf("an interval takes %d rounds", stat.MinRounds))
	}
	return shown
}

// latencyRow is a phase of a cell, without its chart.
func (s *study) latencyRow(c *result.Cell, one stat.Summary, shown []float64) latencyRow {
	r := latencyRow{Phase: one.Phase, Max: "–", Beside: cmp.Or(c.BesideFloor(one), "–"), N: "0", Apart: result.Uncounted(one)}
	if text := inWords(s.Child(), one.Phase); text != one.Phase {
		r.Text = text
	}
	r.Figures = plain.Map(shown, func(p float64) figure {
		value, interval := result.Quantile(one, p)
		return figure{value, interval}
	})
	if one.N > 0 {
		r.N, r.Max = fmt.Sprintf("%d in %d", one.N, one.Rounds), one.Max.String()
	}
	return r
}
