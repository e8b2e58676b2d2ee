package gate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// percent prints a share, such as 5%.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/10, 'f', -1, 64) + "%"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// times prints a ratio, which is a bound where samples are censored.
func times(b stat.Bounds) string {
	switch {
	case b.Exact():
		return digits(b.Low)
	case math.IsInf(b.High, 1) && b.Low == 0:
		return "unknown"
	case math.IsInf(b.High, 1):
		return ">" + digits(b.Low)
	}
	return "<" + digits(b.High)
}

// digits prints a ratio: with two decimals, where it is small enough for them
// to matter.
func digits(ratio float64) string {
	switch {
	case math.IsInf(ratio, 1):
		return "∞"
	case ratio >= 99.5:
		return fmt.Sprintf("%.0f", ratio)
	case ratio >= 9.95:
		return fmt.Sprintf("%.1f", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

// between prints an interval.
func between(b *stat.Bounds) string {
	if b == nil {
		return "–"
	}
	return digits(b.Low) + " – " + digits(b.High)
}

// probability prints a p-value.
func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// word is the verdict on a latency for people.
func (m *Metric) word() string {
	return map[Verdict]string{Regression: "slower", Inconclusive: "cannot tell", Improvement: "faster", Pass: "fine"}[m.Verdict]
}

func (s *Scenario) word() string {
	return map[Verdict]string{Regression: "broken", Inconclusive: "cannot tell", Improvement: "mended", Pass: "fine"}[s.Verdict]
}

func (c *Counter) word() string {
	return map[Verdict]string{Regression: "costs more", Inconclusive: "cannot tell", Improvement: "costs less", Pass: "fine"}[c.Verdict]
}

// Message says in a sentence what a metric's verdict is and why.
func (m *Metric) Message() string {
	text := fmt.Sprintf("%s: %s", m.Name(), m.word())
	if m.Ratio.Rounds > 0 {
		text += fmt.Sprintf(", ratio %s", times(m.Ratio.Value))
		if m.Ratio.Interval != nil {
			text += fmt.Sprintf(" (95%% interval %s)", between(m.Ratio.Interval))
		}
		text += fmt.Sprintf(", n = %s, corrected p = %s", plural(m.Ratio.Rounds, "round"), probability(m.Corrected))
	}
	if why := m.reason(); why != "" {
		text += "; " + why
	}
	return text
}

// reason is Why, with how many rounds would do, or the first differing phase.
func (m *Metric) reason() string {
	var parts []string
	if m.Why != "" {
		parts = append(parts, m.Why)
	}
	if m.Needed > m.Ratio.Rounds && m.Needed > m.fewest {
		parts = append(parts, wouldDo(m.Needed))
	}
	if m.First != nil {
		parts = append(parts, m.First.String())
	}
	return strings.Join(parts, "; ")
}

// wouldDo says how many rounds a comparison takes: an estimate, of which two
// digits are enough.
func wouldDo(rounds int) string {
	if rounds > 1000 {
		return "more than 1000 rounds like these would be needed: it takes a steadier machine, or more passes in a round"
	}
	if rounds > 100 {
		rounds = (rounds + 9) / 10 * 10
	}
	return fmt.Sprintf("about %d rounds like these would do", rounds)
}

func (d *Difference) String() string {
	if d.Only {
		return fmt.Sprintf("first differing phase: %s, at %s, which base does not have; it adds %s", d.Phase, report.Duration(d.At), report.Duration(d.Added))
	}
	return fmt.Sprintf("first differing phase: %s, %s instead of %s, which adds %s",
		d.Phase, report.Latency(d.Ratio.Head), report.Latency(d.Ratio.Base), report.Duration(d.Added))
}

// Message says in a sentence what was found of a scenario's correctness.
func (s *Scenario) Message() string {
	text := fmt.Sprintf("%s: %s, passed %d of %d at base and %d of %d at head", s.Name(), s.word(),
		s.Base.Passed, s.Base.Passed+s.Base.Failed, s.Head.Passed, s.Head.Passed+s.Head.Failed)
	if why := s.reason(); why != "" {
		text += "; " + why
	}
	return text
}

func (s *Scenario) reason() string {
	var parts []string
	if s.Why != "" {
		parts = append(parts, s.Why)
	}
	if f := s.Failure; f != nil {
		warm := ""
		if f.Warmup {
			warm = " (warming up)"
		}
		parts = append(parts, fmt.Sprintf("first failure in round %d%s: %s: %s", f.Round, warm, f.Oracle, f.Message))
	}
	return strings.Join(parts, "; ")
}

// Message says in a sentence how a counter changed.
func (c *Counter) Message() string {
	return fmt.Sprintf("%s %s, %s for each change: %s, %s at base and %s at head", c.Style, c.Scenario, c.Name, c.word(), c.Base, c.Head)
}

// Conclusion is the verdict in a sentence or two, for a stranger.
func (r *Result) Conclusion() string {
	broken, slower, costly, open, faster := r.names()
	var text string
	switch r.Verdict {
	case Regression:
		var parts []string
		for _, part := range []struct {
			word  string
			names []string
		}{{"BROKEN", broken}, {"SLOWER", slower}, {"COSTS MORE", costly}} {
			if len(part.names) > 0 {
				parts = append(parts, part.word+": "+some(part.names))
			}
		}
		text = strings.Join(parts, ". ") + "."
		if len(open) > 0 {
			text += " Cannot tell: " + some(open) + "."
		}
	case Inconclusive:
		text = "CANNOT TELL: " + some(open) + "."
		if needed := r.needed(); needed > 0 {
			text += " In all, " + wouldDo(needed) + "."
		}
	case Improvement:
		text = "FINE, and better: " + some(faster) + "."
	case Pass:
		text = fmt.Sprintf("FINE: nothing broke, and no gated latency is slower by %s or more.", percent(r.Effect))
	}
	if len(r.Forced) > 0 {
		text += " FORCED, although these recordings do not compare."
	}
	return text
}

// names lists what has which verdict.
func (r *Result) names() (broken, slower, costly, open, better []string) {
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		into(s.Verdict, s.Name(), &broken, &open, &better)
	}
	for i := range r.Metrics {
		if m := &r.Metrics[i]; m.Gated {
			name := m.Name()
			if m.Verdict == Regression {
				name += fmt.Sprintf(" (%s times as long)", times(m.Ratio.Value))
			}
			into(m.Verdict, name, &slower, &open, &better)
		}
	}
	for _, c := range r.Counters {
		if c.Gated {
			into(c.Verdict, fmt.Sprintf("%s %s (%s: %s instead of %s)", c.Style, c.Scenario, c.Name, c.Head, c.Base), &costly, &open, &better)
		}
	}
	return broken, slower, costly, open, better
}

func into(v Verdict, name string, worse, open, better *[]string) {
	switch v {
	case Regression:
		*worse = append(*worse, name)
	case Inconclusive:
		*open = append(*open, name)
	case Improvement:
		*better = append(*better, name)
	case Pass:
	}
}

// some lists names, and how many more there are where they are many.
func some(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// needed is how many rounds would do for all that cannot be told; 0: not known.
func (r *Result) needed() int {
	most := 0
	for _, m := range r.Metrics {
		if m.Gated && m.Verdict == Inconclusive {
			if m.Needed <= m.Ratio.Rounds {
				return 0
			}
			most = max(most, m.Needed)
		}
	}
	return most
}

func (t Tally) String() string {
	text := fmt.Sprintf("%d of %d", t.Passed, t.Passed+t.Failed)
	if t.Unjudged > 0 {
		text += fmt.Sprintf(" (%d unjudged)", t.Unjudged)
	}
	return text
}

func whole[T int | uint64](n T) string { return fmt.Sprint(n) }

func trimmed(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
