package gate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"operatorbench/e2e/plain"
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
	return []string{"verdict", "metric", "base", "head", "ratio", "95% interval", "rounds", "p", "base again (noise)"}
}

func (r row) cells() []string {
	return []string{r.word, r.name, r.base, r.head, r.ratio, r.interval, r.rounds, r.p, r.again}
}

// rows are all things that the verdict depends on, the worst first. Scenarios, counters, tails and a style's own phases
// that are as they were have none: there is a line that sums up each of them.
func (r *Result) rows() []row {
	var rows []row
	for _, one := range r.judged() {
		if one.Verdict != Pass || !one.brief {
			rows = append(rows, one.row())
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return rank(a.verdict) - rank(b.verdict) })
	return rows
}

func (s *Scenario) row() row {
	return row{verdict: s.Verdict, word: s.word(), name: s.Name(), base: s.Base.String(), head: s.Head.String(), why: s.reason()}
}

// brief reports whether a metric needs no row while it is fine.
func (m *Metric) brief() bool { return m.Kind == Counter || m.Kind == Tail && !m.whole() || m.inner() }

func (m *Metric) row(round float64) row {
	one := row{verdict: m.Verdict, word: m.word(), name: m.Name(), why: m.reason(round)}
	if m.Rounds == 0 {
		return one
	}
	one.base, one.head, one.ratio, one.interval = m.value(m.Base.Observation), m.value(m.Head.Observation), "–", between(m.Interval)
	if m.Ratio != nil {
		one.ratio = digits(*m.Ratio)
	}
	one.rounds, one.p, one.again = strconv.Itoa(m.Rounds), probability(m.Corrected), between(m.Again)
	if m.exact() {
		one.p = "exact"
	}
	return one
}

// same sums up what is as it was and has no row.
func (r *Result) same() string {
	scenarios, healthy, counters, tails, phases := 0, 0, 0, 0, 0
	for _, s := range r.Scenarios {
		same := number(s.Verdict == Pass && s.Why == "")
		if s.Scenario == Health {
			healthy += same
		} else {
			scenarios += same
		}
	}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		counters += number(m.Kind == Counter && m.Verdict == Pass)
		phases += number(m.inner() && m.Verdict == Pass)
		tails += number(m.brief() && m.Kind == Tail && m.Verdict == Pass)
	}
	text := plain.Plural(scenarios, "scenario") + " handled correctly, as at base"
	if healthy > 0 {
		text += "; no restart of the pods of " + plain.Plural(healthy, "operator")
	}
	if phases > 0 {
		text += "; " + plain.Plural(phases, "phase") + " of their own as at base"
	}
	if tails > 0 {
		text += "; " + plain.Plural(tails, "tail") + " not longer than at base"
	}
	if counters == 0 {
		return text + "; pods, objects and API calls were not counted, or are in the table"
	}
	return text + "; " + plain.Plural(counters, "counter") + " as at base"
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// title says what was compared, and how.
func (r *Result) title() string {
	how := "in two runs"
	if r.Paired {
		how = "in turns in each round of run " + r.Base.Recording.Judgement.Header.Run
	}
	text := r.Base.Name + " against " + r.Head.Name + ", " + how + ", " + plain.Plural(r.Rounds, "round")
	for _, style := range slices.Sorted(maps.Keys(r.Planned)) {
		text += fmt.Sprintf(" of at most %d of %s", r.Planned[style], style)
	}
	return text
}

// rules say what the words of the verdicts mean, with the parameters.
func (r *Result) rules() []string {
	return []string{
		fmt.Sprintf("worse (slower, costs more): the difference is significant (exact permutation test over rounds, Holm's correction over all metrics and looks; at most %s of gates find this of unchanged code), and the whole 95%% interval of the ratio is above %s",
			percent(r.Alpha/2), digits(1+r.Tolerance)),
		fmt.Sprintf("fine, of what a user waits for: a ratio of %s is ruled out at %s, and also that more than %s of the samples take %s times base's p90",
			digits(1+r.Effect), percent(1-beta), percent(mostShare), digits(1+r.Effect)),
		fmt.Sprintf("no sign, of all other metrics: none looks %s times as large, except where chance often causes that", digits(1+max(wide, r.Effect))),
		fmt.Sprintf("broken: what never failed at base fails at head; a scenario of the matrix must fail each time that it is driven again, or more often than chance explains (Fisher's exact test, p ≤ %s); what fails at base too, or is flaky by base's verdicts.yaml, by a corrected test", digits(beta)),
		"more rights: head's service accounts or pods may do what base's may not",
		"base again (noise): the 95% interval of the ratio of base to base, without a change",
	}
}
