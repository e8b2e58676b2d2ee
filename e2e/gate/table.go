package gate

import (
	"math"

	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// row is one gated thing as all outputs show it.
type row struct {
	verdict          Verdict
	word, name       string
	base, head       string
	ratio, interval  string
	rounds, p, again string
	why              string
}

// header are the columns' names, without that of why.
func header() []string {
	return []string{"verdict", "metric", "base", "head", "ratio", "95% interval", "rounds", "p", "base again"}
}

func (r row) cells() []string {
	return []string{r.word, r.name, r.base, r.head, r.ratio, r.interval, r.rounds, r.p, r.again}
}

// rows are all things that the verdict depends on, the worst first. Scenarios
// and counters that are as they were have none: there is a line that sums up
// each of them.
func (r *Result) rows() []row {
	var rows []row
	for _, verdict := range []Verdict{Regression, Inconclusive, Improvement, Pass} {
		for i := range r.Scenarios {
			if s := &r.Scenarios[i]; s.Verdict == verdict && (verdict != Pass || s.Why != "") {
				rows = append(rows, row{verdict: verdict, word: s.word(), name: s.Name(), base: s.Base.String(), head: s.Head.String(), why: s.reason()})
			}
		}
		for i := range r.Metrics {
			if m := &r.Metrics[i]; m.Gated && m.Verdict == verdict {
				rows = append(rows, m.row())
			}
		}
		for _, c := range r.Counters {
			if c.Gated && c.Verdict == verdict && verdict != Pass {
				rows = append(rows, row{verdict: verdict, word: c.word(), name: c.Style + " " + c.Scenario + " " + c.Name, base: c.Base.String(), head: c.Head.String()})
			}
		}
	}
	return rows
}

func (m *Metric) row() row {
	one := row{verdict: m.Verdict, word: m.word(), name: m.Name(), why: m.reason()}
	if m.Ratio.Rounds == 0 {
		return one
	}
	one.base, one.head = report.Latency(m.Ratio.Base), report.Latency(m.Ratio.Head)
	one.ratio, one.interval = times(m.Ratio.Value), between(m.Ratio.Interval)
	one.rounds, one.p = whole(m.Ratio.Rounds), probability(m.Corrected)
	one.again = "–"
	if m.Again != nil {
		one.again = between(m.Again.Interval)
	}
	return one
}

// elsewhere lists what differs and is not gated: phases whose interval excludes
// that nothing changed, and counters.
func (r *Result) elsewhere() []string {
	var list []string
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if !m.Gated && m.Ratio.Interval != nil && off(*m.Ratio.Interval, r.Options) {
			list = append(list, m.Name()+": "+report.Latency(m.Ratio.Base)+" → "+report.Latency(m.Ratio.Head)+
				", ratio "+times(m.Ratio.Value)+" ("+between(m.Ratio.Interval)+")")
		}
	}
	for i := range r.Counters {
		if c := &r.Counters[i]; !c.Gated && (c.Base.Least != c.Head.Least || c.Base.Most != c.Head.Most) {
			list = append(list, c.Message())
		}
	}
	return list
}

// same sums up what is as it was and has no row.
func (r *Result) same() string {
	scenarios, counters := 0, 0
	for _, s := range r.Scenarios {
		if s.Verdict == Pass && s.Why == "" {
			scenarios++
		}
	}
	for _, c := range r.Counters {
		if c.Gated && c.Verdict == Pass {
			counters++
		}
	}
	text := plural(scenarios, "scenario") + " handled correctly, as at base"
	if len(r.Counters) == 0 {
		return text + "; what a change costs was not counted"
	}
	return text + "; " + plural(counters, "exact counter") + " as at base"
}

// title says what was compared, and how.
func (r *Result) title() string {
	how := "in two runs"
	if r.Paired {
		how = "in turns in each round of run " + r.Base.Recording.Judgement.Header.Run
	}
	return r.Base.Name + " against " + r.Head.Name + ", " + how + ", " + plural(r.Rounds, "round")
}

// rules are the parameters in a sentence.
func (r *Result) rules() string {
	return "slower: the 95% interval of the ratio of medians is above " + times(exactly(1+r.Tolerance)) + " and Holm's corrected p is below " +
		trimmed(r.Alpha) + "; fine: the interval is below " + times(exactly(1+r.Effect)) + "; bootstrap seed " + whole(r.Seed)
}

func exactly(x float64) stat.Bounds { return stat.Bounds{Low: x, High: x} }

// finite is a number that JSON can hold; nil: there is none.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
