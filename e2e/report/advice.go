package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Advice is what the figures say of one style in three sentences, each by a rule,
// and the needs for which it is recommended, or another is.
type Advice struct {
	Quick string // where its median is nearest to the lowest of all styles
	Costs string // where it uses most, against what uses least
	Wrong string // how many scenarios it fails, and by which oracles
	For   []string
	Not   []string
	Asked bool // some need asks about it: it was measured
}

// AdviceRules say how the sentences of an Advice are made.
func AdviceRules() []string {
	return []string{
		"Nearest to and farthest from the lowest latency: the measured change whose median is nearest to the lowest of all styles, and the one that is farthest from it.",
		"Costs: the two quantities of which it uses most, by ratio to the style that uses least.",
		"Gets wrong: the scenarios that it fails, by the oracles that fail most often.",
		"For and not for: the rows of the table of needs in which it is recommended, or in which it was asked about and another is.",
	}
}

// Advise says it of a style.
func (r *Report) Advise(label string, needs []result.Need) Advice {
	a := Advice{Wrong: r.getsWrong(label)}
	if !r.Apart(label) {
		a.Quick, a.Costs = r.quickAt(label), r.costsMost(label)
	}
	for _, need := range needs {
		i := slices.IndexFunc(need.Candidates, func(c result.Candidate) bool { return c.Label == label })
		picks := need.Picks()
		a.Asked = a.Asked || i >= 0
		switch {
		case i < 0:
		case slices.Contains(picks, label) && len(picks) > 1:
			a.For = append(a.For, need.Name+" (with "+plain.Some(slices.DeleteFunc(picks, func(pick string) bool { return pick == label }), mostNamed)+")")
		case slices.Contains(picks, label):
			a.For = append(a.For, need.Name)
		case len(picks) > 0:
			a.Not = append(a.Not, fmt.Sprintf("%s: it has %s; %s has %s", need.Name, strings.Join(need.Candidates[i].Figures, ", "), picks[0], strings.Join(need.Candidates[0].Figures, ", ")))
		}
	}
	return a
}

// mostNamed is how many of a list a sentence names.
const mostNamed = 4

// Finding is what the recordings come to: who is the fastest, who is the
// slowest, and who is right, each in a sentence.
func (r *Report) Finding() string {
	headline := r.Headline()
	var measured []stat.Summary
	for _, label := range r.Contestants() {
		if c := r.Cell(label, headline); c != nil {
			if written, _ := c.Outcome(); written.N > 0 {
				written.Operator = label
				measured = append(measured, written)
			}
		}
	}
	switch len(measured) {
	case 0:
		return cmp.Or(r.faultless(nil), "There is no finding: no style was measured or judged.")
	case 1:
		one := measured[0]
		return sentences(fmt.Sprintf("%s writes what a %s asks for in %s (median, %s)%s.", one.Operator, headline, one.P50, result.Spread(one, stat.Observation.String), r.andFails(one.Operator)), r.faultless(measured))
	}
	slices.SortStableFunc(measured, func(a, b stat.Summary) int { return cmp.Compare(a.P50.Value, b.P50.Value) })
	first, last := measured[0], measured[len(measured)-1]
	leader := first.Operator
	if year := r.Dated(leader); year != "" {
		leader += " (its version is of " + year + ")"
	}
	figure := func(s stat.Summary) string {
		return fmt.Sprintf("%s (%s)", s.P50, result.Spread(s, stat.Observation.String))
	}
	var tied []string
	for _, k := range r.Ranking(headline) {
		if k.Place == 1 {
			tied = append(tied, k.Label)
		}
	}
	ranked := slices.Contains(tied, first.Operator)
	var quick string
	switch others := slices.DeleteFunc(slices.Clone(tied), func(label string) bool { return label == first.Operator }); {
	case !ranked:
		quick = fmt.Sprintf("Of %d styles, %s has the lowest median of a %s, %s%s. So few rounds do not rank styles.", len(measured), leader, headline, figure(first), r.andFails(first.Operator))
	case len(others) > 0:
		quick = fmt.Sprintf("%d of %d styles share the first rank at a %s: %s. %s%s has the lowest median, %s.",
			len(tied), len(measured), headline, plain.Some(slices.Insert(others, 0, leader), mostNamed+1), r.noneFails(tied), first.Operator, figure(first))
	default:
		quick = fmt.Sprintf("Of %d styles, %s is the fastest at a %s, %s%s.", len(measured), leader, headline, figure(first), r.andFails(first.Operator))
	}
	times := ""
	if ratio := stat.RatioOf(last, first); ratio.Rounds > 0 { // else they were measured in different runs
		long, from := result.RatioParts(ratio)
		times = ", " + long + " times as long " + from
	}
	return sentences(quick, fmt.Sprintf("%s takes %s%s%s.", last.Operator, figure(last), times, r.andFails(last.Operator)), r.faultless(measured))
}

// andFails ends the sentence on a style's latency with what it gets wrong; empty: that was
// not recorded.
func (r *Report) andFails(label string) string {
	failing := r.Fails(label)
	if !failing.Known {
		return ""
	}
	return fmt.Sprintf("; it fails %d of %d scenarios%s", failing.Failed, failing.Of, failing.Rest())
}

// noneFails begins a sentence with the same of several styles.
func (r *Report) noneFails(labels []string) string {
	var worst result.Failing
	for _, label := range labels {
		failing := r.Fails(label)
		if !failing.Known {
			return ""
		}
		if failing.Most() >= worst.Most() {
			worst = failing
		}
	}
	if worst.Most() == 0 {
		return "None of them fails a scenario; "
	}
	return fmt.Sprintf("None of them fails more than %d of %d scenarios; ", worst.Most(), worst.Of)
}

// sentences are those that are not empty, one after the other.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), " ")
}

// faultless is the sentence of the finding that is about correctness; empty: none was
// recorded, or the sentence on latency says all. It counts the styles where they are not
// those that were measured.
func (r *Report) faultless(measured []stat.Summary) string {
	var recorded, clean, most []string
	var worst result.Failing
	same := true // as many apply to each of those that fail the most
	for _, label := range r.Contestants() {
		failing := r.Fails(label)
		if !failing.Known {
			continue
		}
		recorded = append(recorded, label)
		if failing.Most() == 0 && failing.Whole() {
			clean = append(clean, label)
		}
		switch {
		case failing.Failed > worst.Failed:
			worst, most, same = failing, []string{label}, true
		case failing.Failed > 0 && failing.Failed == worst.Failed:
			most, same = append(most, label), same && failing.Of == worst.Of
		}
	}
	who, of := cmp.Or(plain.Some(clean, mostNamed), "none"), "Of all styles, "
	all := len(measured) == len(recorded) && !slices.ContainsFunc(measured, func(s stat.Summary) bool { return !slices.Contains(recorded, s.Operator) })
	switch {
	case len(recorded) == 0, all && len(recorded) == 1: // of that one it is said with its latency
		return ""
	case !all:
		of = fmt.Sprintf("Of the %s whose correctness was recorded, ", plain.Plural(len(recorded), "style"))
	}
	text := of + who + " passed every scenario that applies"
	switch len(most) {
	case 0:
		return text + ", and none fails one."
	case 1:
		return text + fmt.Sprintf("; %s fails the most, %d of %d.", most[0], worst.Failed, worst.Of)
	}
	fail := strconv.Itoa(worst.Failed)
	if same {
		fail += fmt.Sprintf(" of %d", worst.Of)
	}
	return text + fmt.Sprintf("; %s fail the most, %s each.", plain.Some(most, mostNamed), fail)
}

// quickAt is the sentence on latency.
func (r *Report) quickAt(label string) string {
	type ratio struct {
		scenario string
		times    float64
		stat.Summary
	}
	var all []ratio
	for c := range r.By(label) {
		written, _ := c.Outcome()
		if c.Load() || written.N == 0 {
			continue
		}
		least := written.P50.Value
		for _, other := range r.Contestants() {
			if o := r.Cell(other, c.Scenario); o != nil {
				if w, _ := o.Outcome(); w.N > 0 && !w.P50.Censored {
					least = min(least, w.P50.Value)
				}
			}
		}
		if least > 0 {
			all = append(all, ratio{c.Scenario, written.P50.Value / least, written})
		}
	}
	if len(all) == 0 {
		return "No latency of it was recorded."
	}
	slices.SortStableFunc(all, func(a, b ratio) int { return cmp.Compare(a.times, b.times) })
	say := func(one ratio) string {
		times := plain.Digits(one.times)
		if one.P50.Censored {
			times = "at least " + times
		}
		return fmt.Sprintf("%s, p50 %s (%s), %s times the lowest", one.scenario, one.P50, result.Spread(one.Summary, stat.Observation.String), times)
	}
	text := "Nearest to the lowest latency: " + say(all[0])
	if last := all[len(all)-1]; len(all) > 1 {
		text += "; farthest from it: " + say(last)
	}
	return text + "."
}

// Quantities are what styles use, with a word for each: a column of the page and
// of its comparisons.
func (r *Report) Quantities() []Quantity {
	var all []Quantity
	for i, one := range CostColumns(result.Cost{}) {
		all = append(all, Quantity{one.Name, one.Text, func(c result.Cost) cost.Figure { return CostColumns(c)[i].Figure }})
	}
	for i, one := range BesideColumns(result.Cost{}) {
		all = append(all, Quantity{one.Name, one.Text, func(c result.Cost) cost.Figure { return BesideColumns(c)[i].Figure }})
	}
	return all
}

// Quantity is a figure of what a style uses.
type Quantity struct {
	Name, Text string // and what it is, in a line
	Of         func(result.Cost) cost.Figure
}

// Show prints a value of a used quantity, and where it comes from.
func Show(u result.Used) (value, spread string) {
	if u.N == 0 {
		return unknown, ""
	}
	show := func(o stat.Observation) string { return Amount(u.Unit, o.Value) }
	return show(u.P50), result.Spread(u.Summary, show)
}

// costsMost is the sentence on costs.
func (r *Report) costsMost(label string) string {
	type ratio struct {
		times float64
		text  string
	}
	var all []ratio
	recorded := false
	for _, q := range r.Quantities() {
		mine := r.Used(label, q.Name, q.Of)
		recorded = recorded || mine.N > 0
		least, who := mine.P50.Value, label
		for _, other := range r.Contestants() {
			if o := r.Used(other, q.Name, q.Of); o.N > 0 && o.P50.Value > 0 && o.P50.Value < least {
				least, who = o.P50.Value, other
			}
		}
		if mine.N == 0 || who == label || least <= 0 {
			continue
		}
		value, spread := Show(mine)
		all = append(all, ratio{mine.P50.Value / least, fmt.Sprintf("%s %s (%s), %s times that of %s", q.Name, value, spread, plain.Digits(mine.P50.Value/least), who)})
	}
	switch {
	case !recorded:
		return "Costs: not recorded."
	case len(all) == 0:
		return "Costs: of nothing that was recorded does another style use less."
	}
	slices.SortStableFunc(all, func(a, b ratio) int { return cmp.Compare(b.times, a.times) })
	texts := []string{}
	for _, one := range all[:min(2, len(all))] {
		texts = append(texts, one.text)
	}
	return "Costs: " + strings.Join(texts, "; ") + "."
}

// getsWrong is the sentence on correctness.
func (r *Report) getsWrong(label string) string {
	failing := r.Fails(label)
	if !failing.Known {
		return "Gets wrong: not recorded; it was not driven through the correctness matrix."
	}
	if failing.Failed == 0 {
		return fmt.Sprintf("Gets wrong: none of %s that apply%s.", plain.Plural(failing.Of, "scenario"), failing.Rest())
	}
	count := map[string]int{}
	var names []string
	for _, c := range r.Matrix.Cells(label) {
		if c.Verdict == spec.Fail || c.Verdict == spec.Flaky {
			for _, name := range c.FailedNames() {
				count[name]++
				names = plain.Once(names, name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s in %d", name, count[name])
	}
	text := fmt.Sprintf("Gets wrong: %d of %s that apply", failing.Failed, plain.Plural(failing.Of, "scenario"))
	if len(names) > 0 {
		text += ", by oracle: " + plain.Some(names, mostNamed)
	}
	return text + failing.Rest() + "."
}
