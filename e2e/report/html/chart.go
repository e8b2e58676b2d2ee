package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// dots are the samples of one style in one phase on an axis. All places are
// percent, so that they fit any width: the one chart of latencies that there is,
// on the page in each row of a table, and in the picture for README.md.
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

// Where dots stand, in percent of a row's height: the median above its samples,
// which it would hide.
const (
	medianAt = 30
	dotsAt   = 70
	lanes    = 5
	lane     = 6 // apart
)

// How near dots must be, in percent, to be one: no screen tells them apart. A large
// page has fewer.
const (
	finest = 0.25
	coarse = 1
)

// dotsOf draws what a cell's samples of a phase say. Marks that would hide each
// other wholly are one, where apart, in percent, says how near that is.
func dotsOf(c *cell, one *series, x *axis, apart float64) *dots {
	d := &dots{Class: c.Style.Look.Class(), Mark: c.Style.Look.Mark()}
	var samples strings.Builder
	seen := map[point]bool{}
	for i, sample := range one.samples {
		if sample.Warmup || math.IsNaN(sample.Value) {
			continue
		}
		where := x.at(sample.Value)
		if apart > 0 {
			where = math.Round(where/apart) * apart
		}
		p := point{place(where), place(float64(dotsAt + lane*(i%lanes-lanes/2)))} // equal samples can be told apart
		if apart > 0 && seen[p] {
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

// latencies is a table of some phases of a scenario, with a chart in each row.
type latencies struct {
	ID, Title string
	Plots     bool     // its rows have charts
	Heads     []string // of the quantiles that some row has
	Beside    string   // head of the column with the floor; empty: there is none
	Groups    []phaseGroup
	Notes     []string // what there are too few samples for
}

// Columns is how many the table has.
func (t *latencies) Columns() int {
	n := 3 + len(t.Heads)
	if t.Plots {
		n++
	}
	if t.Beside != "" {
		n++
	}
	return n
}

// phaseGroup are the rows of one phase: a style each.
type phaseGroup struct {
	Phase, Text string // Text says it in words; empty: the name does
	Rows        []*latencyRow
}

// latencyRow is one style in one phase.
type latencyRow struct {
	Style   *style
	Dots    *dots    // nil: the table has no charts
	Figures []figure // one for each of the table's heads
	Max     string
	Beside  string // the median to the floor's, or the floor's
	N       string // with the rounds
	Apart   string // what is not counted, or only bounded
	Samples string // every one, by rounds
}

// figure is a quantile with its interval; empty where none can be had.
type figure struct{ Value, Interval string }

// latencies are those of some phases of a scenario; nil: no style has one.
func (s *study) latencies(in *scene, title string, phases []string, plots bool) *latencies {
	t := &latencies{ID: s.ids.of("latencies", in.Name, title), Title: title, Plots: plots}
	var all []*series
	for _, phase := range phases {
		for _, c := range in.Cells {
			if one := c.series[phase]; one != nil {
				all = append(all, one)
			}
		}
	}
	if in.floor() != nil {
		t.Beside = "× floor" // of a load, the floor's p50 in the same run
	}
	var shown []float64
	for _, p := range []float64{0.5, 0.9, 0.99} {
		if p == 0.5 || slices.ContainsFunc(all, func(one *series) bool { return one.Shows(p) }) {
			shown, t.Heads = append(shown, p), append(t.Heads, fmt.Sprintf("p%g", 100*p))
		}
		if p != 0.5 && slices.ContainsFunc(all, func(one *series) bool { return !one.Shows(p) }) {
			t.Notes = append(t.Notes, fmt.Sprintf("p%g takes n = %d", 100*p, stat.Needed(p)))
		}
	}
	if slices.ContainsFunc(all, func(one *series) bool { return one.Rounds < stat.MinRounds }) {
		t.Notes = append(t.Notes, fmt.Sprintf("an interval takes %d rounds", stat.MinRounds))
	}
	for _, phase := range phases {
		g := phaseGroup{Phase: phase, Text: inWords(phase)}
		for _, c := range in.Cells {
			if one := c.series[phase]; one != nil {
				row := s.latencyRow(c, one, shown)
				if plots {
					row.Dots = dotsOf(c, one, s.x, map[bool]float64{false: finest, true: coarse}[s.thrift > 0])
				}
				g.Rows = append(g.Rows, row)
			}
		}
		if len(g.Rows) > 0 {
			t.Groups = append(t.Groups, g)
		}
	}
	if len(t.Groups) == 0 {
		return nil
	}
	return t
}

func (s *study) latencyRow(c *cell, one *series, shown []float64) *latencyRow {
	r := &latencyRow{Style: c.Style, Max: "–", Beside: "–", N: "0", Apart: apart(one.Summary), Samples: s.samples(one)}
	for _, p := range shown {
		r.Figures = append(r.Figures, one.figure(p))
	}
	if one.N > 0 {
		r.N, r.Max = fmt.Sprintf("%s in %d", fmt.Sprint(one.N), one.Rounds), one.Max.String()
	}
	if beside := c.BesideFloor(one.Summary); beside != "" {
		r.Beside = beside
	}
	return r
}

// figure is a quantile; a dash where there are too few samples for it.
func (s *series) figure(p float64) figure {
	if !s.Shows(p) {
		return figure{Value: "–"}
	}
	f := figure{Value: s.Ordered.Quantile(p).String()}
	if i := map[float64]*stat.Interval{0.5: s.CI50, 0.9: s.CI90, 0.99: s.CI99}[p]; i != nil {
		f.Interval = interval(i)
	}
	return f
}

func interval(i *stat.Interval) string {
	return "[" + i.Low.String() + ", " + i.High.String() + "]"
}

// apart names the samples that are not counted, or only bounded; not those that
// only warm up.
func apart(s stat.Summary) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{s.Censored, "timed out"}, {s.Wrong, "wrong"}, {s.Interrupted, "interrupted"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprint(part.n)+" "+part.what)
		}
	}
	return strings.Join(parts, ", ")
}

// samples lists samples by rounds, with a word for each that does not count, or
// timed out; where there are very many, the first.
func (s *study) samples(one *series) string {
	most := 200
	if s.thrift > 0 {
		most = 12
	}
	var text strings.Builder
	run, block := "", -1
	for i, sample := range one.samples[:min(len(one.samples), most)] {
		switch {
		case sample.Block == block && sample.Run == run:
			text.WriteString(", ")
		case i > 0:
			text.WriteString("; ")
			fallthrough
		default:
			if len(s.Runs) > 1 && sample.Run != run {
				fmt.Fprintf(&text, "run %s, ", sample.Run)
			}
			fmt.Fprintf(&text, "round %d: ", sample.Block)
			run, block = sample.Run, sample.Block
		}
		text.WriteString(plain.AtLeast(sample.Value, sample.Outcome == judge.Timeout))
		switch {
		case sample.Outcome == judge.Timeout:
			text.WriteString(" (timed out)")
		case sample.Outcome != judge.OK:
			text.WriteString(" (" + sample.Outcome + ")")
		case sample.Warmup:
			text.WriteString(" (warm-up)")
		}
	}
	if left := len(one.samples) - most; left > 0 {
		fmt.Fprintf(&text, "; and %s more in samples.jsonl", fmt.Sprint(left))
	}
	return text.String()
}

// round names a sample's round, with its run where there are several.
func (s *study) round(one *judge.Sample) string {
	round := fmt.Sprintf("round %d", one.Block)
	if len(s.Runs) > 1 {
		round += " of run " + one.Run
	}
	if one.Warmup {
		round += ", warm-up"
	}
	return round
}
