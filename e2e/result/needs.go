package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Need is what somebody asks of a style, with the styles that answer it by a rule.
type Need struct {
	Name       string
	Rule       string
	Candidates []Candidate // the best first
	Open       string      // what could not decide, or why nobody is recommended; empty: nothing is open
}

// Candidate is a style that is asked about, with the figures that decided.
type Candidate struct {
	Label   string
	Picked  bool // it is recommended, alone or with others
	Figures []string
	Note    string // what somebody who takes it should know; empty: nothing
	Dated   string // the year of its framework's version, where that was old when it was measured; empty: it was not
}

// place sorts candidates: the recommended ones first, of these the old ones last.
func (c Candidate) place() int {
	switch {
	case !c.Picked:
		return 2
	case c.Dated != "":
		return 1
	}
	return 0
}

// Picks are the labels of what is recommended; none: see Open.
func (n Need) Picks() []string {
	var labels []string
	for _, c := range n.Candidates {
		if c.Picked {
			labels = append(labels, c.Label)
		}
	}
	return labels
}

// NeedsNote says what all rules have in common.
func NeedsNote() string {
	return fmt.Sprintf("Rules: controls are left out, and styles that handled a measured change wrongly, unless all in a row did. Then what the row asks for decides. Fewest failing scenarios come first, and styles whose scenarios were not recorded are left out where those of others were; "+
		"then the lowest median. A scenario whose outcome is known to vary counts where it failed in most of several runs, and where the row asks for correctness. Recommended together are those that may be first: none of the others can be told to be better at 5%%, corrected as ranks are for all pairs of styles, which takes %d rounds. Of these, who is built on a version of a framework that was more than %s old is named last; where all are, the best of the others is recommended, too.", stat.RankedRounds, plain.Plural(oldYears, "year"))
}

// need is a row of Needs, before anybody has answered it.
type need struct {
	name, rule string
	in         func(label string) bool
	count      func(label string) Failing // that must be least; nil: nothing is counted
	strict     bool                       // what was not counted is out
	by         measure
	pairs      pairs     // of all styles by that measure, as a row of few must not tell apart what Ranking does not
	also       []measure // that do not decide, and are said
	counted    string    // what a counted scenario does; empty: it fails
}

// measure is a quantity of which less is better.
type measure struct {
	of    func(label string) stat.Summary // N is 0: not known
	text  func(stat.Summary) string
	exact bool // it is counted, and known without rounds
}

// Needs are the questions that the recordings answer, each with its rule.
func (r *Set) Needs() []Need {
	if r.Headline() == "" {
		return nil
	}
	quick := r.latency(r.Headline())
	const then = "; then fewest scenarios that fail or could not be judged, then " // and a measure
	of := func(name, rule string, in func(label string) bool) need {
		return need{name: name, rule: rule + then + r.Headline() + " p50", in: in, count: r.Fails, by: quick}
	}
	var rows []need
	for _, one := range []string{"Go", "Python", "Java", "Rust"} {
		row := of("Our team writes "+one, "most lines owned are "+one+", build files left out", func(label string) bool { return r.Language(label) == one })
		row.also = []measure{r.memory(), r.lines()}
		rows = append(rows, row)
	}
	rows = append(rows,
		of("Only YAML", "all lines owned are YAML or JSON", r.onlyYAML),
		of("Argo is given", "built on Argo", func(label string) bool { return r.builtOn(label, "argo") }),
		of("A Helm chart exists", "built on a Helm framework", func(label string) bool { return r.builtOn(label, "helm") }),
		of("No image of our own", "no custom image", r.noImage),
		of("A change must be seen in under a second", "p90 of every measured change (the maximum where n is too small for a p90) below 1 s", r.subSecond))
	if load := r.Heaviest(); load != "" {
		rows = append(rows, need{
			name: "Many resources at once", rule: "no load late or failed" + then + "when the last of " + load + " is done",
			in: r.bearsLoads, count: r.Fails, by: r.last(load),
		})
	}
	all := func(string) bool { return true }
	return r.answer(append(rows,
		need{
			name: "Nothing may be lost", rule: "fewest scenarios in which a change is not carried out without help (oracles " + strings.Join(losing(), ", ") + ") or that could not be judged, where all were recorded; then " + r.Headline() + " p50",
			in: all, count: r.loses, counted: "lose a change", strict: true, by: quick,
		},
		need{
			name: "The strictest correctness", rule: "fewest scenarios that fail or could not be judged, where all were recorded; then " + r.Headline() + " p50",
			in: all, count: r.Fails, strict: true, by: quick,
		},
		need{name: "The least memory", rule: "lowest peak memory of all pods, median over rounds", in: all, by: r.memory()},
		need{name: "The fewest lines to own", rule: "fewest lines owned, neither blank nor comment", in: all, by: r.lines()},
	))
}

func (r *Set) answer(rows []need) []Need {
	var all []Need
	for _, row := range rows {
		row.pairs = r.pairs(row.by)
		var right, wrong, why []string
		for _, label := range r.Contestants() {
			mishandled, measured := r.Mishandled(label)
			switch {
			case !measured || !row.in(label):
			case mishandled == "":
				right = append(right, label)
			default:
				wrong, why = append(wrong, label), append(why, mishandled)
			}
		}
		answer := row.choose(right, wrong, why)
		r.current(answer.Candidates)
		for i, c := range answer.Candidates {
			if c.Picked {
				answer.Candidates[i].Note, answer.Candidates[i].Dated = r.older(c.Label), r.Dated(c.Label)
			}
		}
		slices.SortStableFunc(answer.Candidates, func(a, b Candidate) int { return cmp.Compare(a.place(), b.place()) })
		all = append(all, answer)
	}
	return all
}

// pairs tells which contestants can be told apart by a measure.
func (r *Set) pairs(by measure) pairs {
	var all []stat.Summary
	for _, label := range r.Contestants() {
		s := by.of(label)
		s.Operator = label
		all = append(all, s)
	}
	all = rankable(all)
	slices.SortStableFunc(all, func(a, b stat.Summary) int { return cmp.Compare(a.P50.Value, b.P50.Value) })
	return pairsOf(all)
}

// current recommends the best candidate that is not built on an old version, too, where
// all that are recommended are.
func (r *Set) current(candidates []Candidate) {
	picked := func(c Candidate) bool { return c.Picked }
	current := func(c Candidate) bool { return r.Dated(c.Label) == "" }
	if !slices.ContainsFunc(candidates, picked) || slices.ContainsFunc(candidates, func(c Candidate) bool { return picked(c) && current(c) }) {
		return
	}
	if best := slices.IndexFunc(candidates, current); best >= 0 {
		candidates[best].Picked = true
	}
}

// older says which version of its framework a style is built on, where there is a
// newer one; empty: there is none.
func (r *Set) older(label string) string {
	header := r.Header(label)
	if header == nil || header.Framework == nil || !strings.ContainsAny(header.Framework.Newest, "0123456789") { // else: not known
		return ""
	}
	f := header.Framework
	version := f.Version
	if f.Date != "" {
		version += " of " + f.Date
	}
	return fmt.Sprintf("built on %s %s (newest: %s)", f.Name, version, f.Newest)
}

// oldYears is from which age on a version of a framework is old.
const oldYears = 2

// Dated is the year of the version that a style's framework has, where it was old when
// the last recording began; empty: it was not, or it is not known.
func (r *Set) Dated(label string) string {
	header := r.Header(label)
	if header == nil || header.Framework == nil {
		return ""
	}
	released, err := time.Parse(time.DateOnly, header.Framework.Date)
	if err != nil {
		return ""
	}
	for _, part := range r.Parts {
		if released.AddDate(oldYears, 0, 0).Before(part.Header.Began) {
			return strconv.Itoa(released.Year())
		}
	}
	return ""
}

// choose answers a need with the styles that handled every measured change rightly,
// and only if there is none with those that did not, and says why they did not.
func (n need) choose(right, wrong, why []string) Need {
	if len(wrong) == 0 {
		return n.decide(right)
	}
	labels, told := right, "Left out, as a measured change was handled wrongly: "
	if len(right) == 0 {
		labels, told = wrong, "A measured change was handled wrongly by all: "
	}
	one := n.decide(labels)
	one.Open = strings.TrimSpace(one.Open + " " + told + plain.Some(why, mostNamed) + ".")
	return one
}

// scored is a style with what decides about it.
type scored struct {
	label string
	bad   int
	text  string
	stat.Summary
}

// score asks of each style what decides. Missing are those of which something was
// not recorded; where it was recorded of others, they are left out.
func (n need) score(labels []string) (all []scored, missing []string) {
	for _, label := range labels {
		s := scored{label: label, Summary: n.by.of(label)}
		known := n.count != nil || s.N > 0
		if n.count != nil {
			failing := n.count(label)
			s.bad, known = failing.Steady(), failing.Whole()
			if n.strict {
				s.bad = failing.Most()
			}
			s.text = failing.text(cmp.Or(n.counted, "fail"))
		}
		if !known {
			missing = append(missing, label)
		}
		all = append(all, s)
	}
	if n.leavesOut(len(all) - len(missing)) {
		all = slices.DeleteFunc(all, func(s scored) bool { return slices.Contains(missing, s.label) })
	}
	return all, missing
}

// leavesOut tells whether a style of which something was not recorded is no candidate,
// where it was recorded of so many.
func (n need) leavesOut(known int) bool { return n.strict || n.count == nil || known > 0 }

// decide answers a need with some of the styles that it asks about.
func (n need) decide(labels []string) Need {
	one := Need{Name: n.name, Rule: n.rule}
	all, missing := n.score(labels)
	counts := len(missing) == 0 || n.leavesOut(len(labels)-len(missing))
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case counts && a.bad != b.bad:
			return cmp.Compare(a.bad, b.bad)
		case (a.N == 0) != (b.N == 0):
			return cmp.Compare(b.N, a.N)
		}
		return cmp.Compare(a.P50.Value, b.P50.Value)
	})
	var best []scored
	for _, s := range all {
		if !counts || s.bad == all[0].bad {
			best = append(best, s)
		}
	}
	picked := n.lowest(best)
	for i, s := range all {
		c := Candidate{Label: s.label, Picked: i < len(picked) && picked[i]}
		if s.text != "" {
			c.Figures = append(c.Figures, s.text)
		}
		if s.N > 0 {
			c.Figures = append(c.Figures, n.by.text(s.Summary))
		}
		for _, m := range n.also {
			if known := m.of(s.label); known.N > 0 {
				c.Figures = append(c.Figures, m.text(known))
			}
		}
		one.Candidates = append(one.Candidates, c)
	}
	one.Open = n.open(one, missing, counts)
	return one
}

// open says what could not decide, or why nobody is recommended.
func (n need) open(answer Need, missing []string, counts bool) string {
	var parts []string
	switch candidates := len(answer.Candidates); {
	case candidates == 0 && len(missing) > 0:
		return "Not known: it was not recorded of any style."
	case candidates == 0:
		return "No style of this kind was recorded."
	case len(missing) > 0 && counts:
		parts = append(parts, "Not compared, as this was not recorded: "+plain.Some(missing, mostNamed)+".")
	case candidates == 1:
		parts = append(parts, "No other one is compared.")
	case len(missing) > 0:
		parts = append(parts, "Failing scenarios do not decide: they were recorded of no style.")
	}
	if len(answer.Picks()) == 0 {
		parts = append(parts, fmt.Sprintf("No recommendation: telling styles apart takes %d rounds.", stat.RankedRounds))
	}
	return strings.Join(parts, " ")
}

// lowest tells which of some measurements, in order of size, may be the first;
// one alone needs no rounds.
func (n need) lowest(all []scored) []bool {
	picked := make([]bool, len(all))
	enough := func(s scored) bool { return s.Rounds >= stat.RankedRounds }
	switch {
	case len(all) == 0 || all[0].N == 0 && len(all) > 1:
	case len(all) == 1:
		picked[0] = true
	case n.by.exact:
		for i := range all {
			picked[i] = all[i].N > 0 && all[i].P50 == all[0].P50
		}
	case enough(all[0]) && slices.ContainsFunc(all[1:], enough):
		for i, s := range all {
			picked[i] = enough(s) && !slices.ContainsFunc(all[:i], func(other scored) bool { return slices.Contains(n.pairs[other.label], s.label) })
		}
	}
	return picked
}

// mostNamed is how many of a list a sentence names.
const mostNamed = 4

// Spread says where a summary's figure comes from: its 95% interval where rounds
// are enough for one, else all that was seen, with n and rounds.
func Spread(s stat.Summary, show func(stat.Observation) string) string {
	if s.N == 0 {
		return "n 0"
	}
	n := fmt.Sprintf("n %d in %s", s.N, plain.Plural(s.Rounds, "round"))
	switch low, high := show(s.Ordered.At(1)), show(s.Max); {
	case s.CI50 != nil:
		return fmt.Sprintf("[%s, %s], %s", show(s.CI50.Low), show(s.CI50.High), n)
	case low == high:
		return n
	default:
		return fmt.Sprintf("%s to %s seen, %s", low, high, n)
	}
}

func (r *Set) latency(scenario string) measure {
	return measure{
		of: func(label string) stat.Summary {
			if c := r.Cell(label, scenario); c != nil {
				written, _ := c.Outcome()
				return written
			}
			return stat.Summary{}
		},
		text: func(s stat.Summary) string {
			return scenario + " p50 " + s.P50.String() + " (" + Spread(s, stat.Observation.String) + ")"
		},
	}
}

// last is when the last custom resource of a load is done, each round for itself.
func (r *Set) last(scenario string) measure {
	return measure{
		of: func(label string) stat.Summary {
			c := r.Cell(label, scenario)
			if c == nil {
				return stat.Summary{}
			}
			written, _ := c.Outcome()
			return Lasts(written)
		},
		text: func(s stat.Summary) string {
			return "last of " + scenario + " after " + s.P50.String() + " (" + Spread(s, stat.Observation.String) + ")"
		},
	}
}

// Lasts are the maxima of a summary's rounds, summed up.
func Lasts(s stat.Summary) stat.Summary {
	var values []stat.Observation
	for _, round := range s.Replicates {
		if len(round) > 0 {
			values = append(values, stat.Order(round).Max())
		}
	}
	last := stat.Of(values...)
	last.Names = s.Names
	return last
}

func (r *Set) memory() measure {
	bytes := func(o stat.Observation) string { return plain.Bytes(int64(o.Value)) }
	return measure{
		of: func(label string) stat.Summary {
			return r.Used(label, "peak mem", func(c Cost) Figure { return c.PeakMemory }).Summary
		},
		text: func(s stat.Summary) string { return "peak memory " + bytes(s.P50) + " (" + Spread(s, bytes) + ")" },
	}
}

func (r *Set) lines() measure {
	return measure{
		of: func(label string) stat.Summary {
			owned := r.owned(label)
			if owned == nil {
				return stat.Summary{}
			}
			return stat.Of(stat.Observation{Value: float64(owned.Lines)})
		},
		text:  func(s stat.Summary) string { return fmt.Sprintf("%.0f lines owned", s.P50.Value) },
		exact: true,
	}
}

// Heaviest is the load with the most custom resources, by which styles are compared;
// empty: there is none.
func (r *Set) Heaviest() string {
	name, most := "", 0
	for _, c := range r.Cells {
		if _, _, n := c.Rounds(); c.Load() && n > most {
			name, most = c.Scenario, n
		}
	}
	return name
}

func (r *Set) bearsLoads(label string) bool {
	driven := false
	for c := range r.By(label) {
		if c.Load() {
			if driven = true; c.Verdict == spec.Late || c.Verdict == spec.Fail || c.Verdict == spec.Flaky || c.Verdict == spec.Invalid {
				return false
			}
		}
	}
	return driven
}

func (r *Set) subSecond(label string) bool {
	driven := false
	for c := range r.By(label) {
		if c.Load() || !c.Measured() {
			continue
		}
		written, _ := c.Outcome()
		tail := written.Max
		if written.Shows(0.9) {
			tail = written.P90
		}
		if driven = true; written.N == 0 || tail.Censored || tail.Value >= 1 {
			return false
		}
	}
	return driven
}
