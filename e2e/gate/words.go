package gate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// mostNamed is how many metrics a sentence names.
const mostNamed = 4

// percent prints a share, such as 5%.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/10, 'f', -1, 64) + "%"
}

// digits prints a ratio: with two decimals, where it is small enough for them to matter.
func digits(ratio float64) string {
	switch {
	case math.IsInf(ratio, 1):
		return "∞"
	case ratio <= 0:
		return "0"
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

// words are the verdicts for people, by what is judged.
func word(v Verdict, worse, better string) string {
	return map[Verdict]string{Regression: worse, Inconclusive: "cannot tell", Improvement: better, Pass: "fine"}[v]
}

func (m *Metric) word() string {
	if m.Verdict == Pass && !m.proven() && m.Interval != nil && m.Interval.High >= 1+wide {
		return "no sign" // that it is worse, which is not to say that it cannot be
	}
	switch {
	case !m.late():
		return word(m.Verdict, "costs more", "costs less")
	case m.Kind == Tail:
		return word(m.Verdict, "longer tail", "shorter tail")
	}
	return word(m.Verdict, "slower", "faster")
}

func (s *Scenario) word() string { return word(s.Verdict, "broken", "mended") }

func (l *Lack) word(worse string) string { return word(l.Verdict, strings.ToLower(worse), "") }

// value prints what was measured of a metric.
func (m *Metric) value(o stat.Observation) string {
	switch {
	case m.Kind == Tail:
		return percent(o.Value) + " above base's p90"
	case m.Kind == Counter:
		return trimmed(o.Value)
	case m.Phase == peakMemory:
		return plain.Bytes(int64(o.Value))
	}
	return o.String()
}

// Message says in a sentence what a metric's verdict is and why.
func (m *Metric) Message() string {
	text := fmt.Sprintf("%s: %s", m.Name(), m.word())
	if m.Rounds > 0 {
		text += fmt.Sprintf(", %s at base and %s at head", m.value(m.Base.Observation), m.value(m.Head.Observation))
		if m.Base.P90 != nil && m.Head.P90 != nil {
			text += fmt.Sprintf(" (p90 %s and %s)", m.value(stat.Observation(*m.Base.P90)), m.value(stat.Observation(*m.Head.P90)))
		}
		if m.Ratio != nil {
			text += fmt.Sprintf(", ratio %s (95%% interval %s)", digits(*m.Ratio), between(m.Interval))
		}
		text += fmt.Sprintf(", n = %s, corrected p = %s", plain.Plural(m.Rounds, "round"), probability(m.Corrected))
	}
	if why := m.reason(0); why != "" {
		text += "; " + why
	}
	return text
}

// reason is Why, with how long it would take, or the first differing phase.
// A round takes so many seconds, where that is known.
func (m *Metric) reason(round float64) string {
	var parts []string
	if m.Why != "" {
		parts = append(parts, m.Why)
	}
	if m.Needed > m.Rounds {
		parts = append(parts, wouldDo(m.Needed, round))
	}
	if m.First != nil {
		parts = append(parts, m.First.String())
	}
	return strings.Join(parts, "; ")
}

// wouldDo estimates how long a comparison must take to tell, in two digits.
func wouldDo(rounds int, round float64) string {
	if rounds > 100 {
		rounds = (rounds + 9) / 10 * 10
	}
	switch hours := float64(rounds) * round / 3600; {
	case rounds > 1000 && round == 0, hours > 24:
		return "more than a day like this would be needed: it takes a steadier machine, or more passes in a round"
	case round == 0:
		return fmt.Sprintf("about %d rounds like these would do", rounds)
	case hours < 1:
		return fmt.Sprintf("about %s like these would do (--budget=%.0fm)", plain.Plural(int(math.Ceil(60*hours)), "minute"), math.Ceil(60*hours))
	default:
		return fmt.Sprintf("about %.1f hours like these would do (--budget=%.0fm)", hours, math.Ceil(60*hours))
	}
}

func (d *Difference) String() string {
	if d.Only {
		return fmt.Sprintf("the delay begins at the phase %s, at %s, which base does not have: %s more", d.Phase, plain.Duration(d.At), plain.Duration(d.Added))
	}
	return fmt.Sprintf("the delay begins at the phase %s: %s instead of %s, %s more",
		d.Phase, d.Head.String(), d.Base.String(), plain.Duration(d.Added))
}

// Message says in a sentence what was found of a scenario's correctness.
func (s *Scenario) Message() string {
	text := fmt.Sprintf("%s: %s, passed %d of %d at base and %d of %d at head", s.Name(), s.word(),
		s.Base.Passed, s.Base.judged(), s.Head.Passed, s.Head.judged())
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
		what := f.Message
		if f.Oracle != "" {
			what = "oracle " + f.Oracle + ": " + what
		}
		samples := "samples"
		switch {
		case s.Scenario == Health:
			samples = "blocks"
		case s.load:
			samples = "rounds"
		}
		parts = append(parts, fmt.Sprintf("%d of %d %s failed at head, the first in round %d%s: %s", s.Head.Failed, s.Head.judged(), samples, f.Round, warm, what))
	}
	return strings.Join(parts, "; ")
}

// Conclusion is the verdict in a sentence or two, for a stranger.
func (r *Result) Conclusion() string {
	n := r.names()
	open := n[string(Inconclusive)]
	var text string
	switch r.Verdict {
	case Regression:
		var parts []string
		for _, word := range regressions() {
			if len(n[word]) > 0 {
				parts = append(parts, word+": "+plain.Some(n[word], mostNamed))
			}
		}
		text = strings.Join(parts, ". ") + "."
		if len(r.Reasons) > 0 {
			text += " " + strings.Join(r.Reasons, "; ") + "."
		}
		if len(open) > 0 {
			text += " Cannot tell yet: " + plain.Some(open, mostNamed) + "."
		}
	case Inconclusive:
		text = "CANNOT TELL: " + plain.Some(open, mostNamed) + "."
		if needed := r.needed(); needed > 0 {
			text += " In all, " + wouldDo(needed, r.round) + "."
		}
	case Improvement:
		text = "FINE, and better: " + plain.Some(n[string(Improvement)], mostNamed) + "."
	case Pass:
		text = r.fine()
	}
	if len(r.Forced) > 0 {
		text += " FORCED, although these recordings do not compare."
	}
	return text
}

// fine says what was compared, and is no worse.
func (r *Result) fine() string {
	text := "FINE. Nothing fails, is missing, or may do more."
	compared := func(proven bool) bool {
		return slices.ContainsFunc(r.Metrics, func(m Metric) bool { return m.proven() == proven })
	}
	if compared(true) {
		text += fmt.Sprintf(" Of what a user waits for, the median is not slower by %s or more, and no more than %s of the samples take %s times as long as base's p90.",
			percent(r.Effect), percent(mostShare), digits(1+r.Effect))
	} else {
		text += " How long a user waits was not compared."
	}
	if compared(false) {
		text += fmt.Sprintf(" There is no sign that anything else is worse by %s.", percent(max(wide, r.Effect)))
	}
	return text
}

// InWords is the verdict in the words of docs/gate.md: of a regression, each kind of it.
func (r *Result) InWords() string {
	switch r.Verdict {
	case Regression:
		var kinds []string
		names := r.names()
		for _, kind := range regressions() {
			if len(names[kind]) > 0 {
				kinds = append(kinds, strings.ToLower(kind))
			}
		}
		return strings.Join(kinds, ", ")
	case Inconclusive:
		return "cannot tell"
	case Improvement:
		return "fine and better"
	}
	return "fine"
}

// What a regression is called, of all.
const (
	missing  = "MISSING"
	broken   = "BROKEN"
	mayMore  = "MORE RIGHTS"
	slower   = "SLOWER"
	costlier = "COSTS MORE"
)

func regressions() []string { return []string{missing, broken, mayMore, slower, costlier} }

// names are what has which verdict; of regressions, which kind of one.
func (r *Result) names() map[string][]string {
	names := map[string][]string{}
	for _, one := range r.judged() {
		called, name := string(one.Verdict), one.name
		if one.Verdict == Regression {
			called = one.worse
			if m := one.metric; m != nil {
				if r.implied(m) {
					continue
				}
				name += " (" + m.change() + ")"
			}
		}
		names[called] = append(names[called], name)
	}
	return names
}

// implied reports whether a longer tail, or a counter of one scenario, is said
// already: by a median that is slower, or the counter of all scenarios.
func (r *Result) implied(m *Metric) bool {
	if m.Kind != Tail && !m.exact() {
		return false
	}
	return slices.ContainsFunc(r.Metrics, func(other Metric) bool {
		if other.Verdict != Regression || other.Style != m.Style {
			return false
		}
		if m.exact() {
			return other.Kind == Counter && other.Phase == perChange(m.Phase)
		}
		return other.Kind == Latency && (m.whole() || other.Scenario == m.Scenario && other.Phase == m.Phase)
	})
}

// change is by how much a metric is worse.
func (m *Metric) change() string {
	if m.Ratio == nil || m.Kind == Tail || m.Kind == Counter {
		return m.value(m.Base.Observation) + " → " + m.value(m.Head.Observation)
	}
	if !m.late() {
		return digits(*m.Ratio) + " times as much"
	}
	return digits(*m.Ratio) + " times as long"
}

// needed is how many rounds would do for all that cannot be told; 0: not known.
func (r *Result) needed() int {
	most := 0
	for _, m := range r.Metrics {
		if m.Verdict == Inconclusive {
			if m.Needed <= m.Rounds {
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

func trimmed(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
