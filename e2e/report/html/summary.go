package html

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// card says of one style in a few sentences what came out.
type card struct {
	Style *style
	Badge badge
	Big   string // the figure to remember
	BigOf string // what it is
	Leads string // the id of what it is from
	Text  []string
}

// headline is the scenario whose latency a style is known by, where it is there.
const headline = "create"

func (s *study) card(of *style) *card {
	c := &card{Style: of, Leads: "correctness"}
	var all judge.Tally
	var worst []*cell
	var main *cell
	for _, in := range s.Scenes {
		for _, one := range in.Cells {
			if one.Style != of {
				continue
			}
			all.Join(one.Tally)
			if one.Verdict != spec.Pass && (one.Verdict != spec.NotApplicable || one.Passed < one.All()) {
				worst = append(worst, one)
			}
			if main == nil || in.Name == headline {
				main, c.Leads = one, in.ID
			}
		}
	}
	short, tally := s.Tally(of.Label)
	if main == nil { // it was driven through the matrix alone
		if s.Recorded(of.Label) {
			c.Big, c.BigOf = strings.TrimSuffix(short, " fail"), "scenarios fail"
		}
		c.Badge = badge{Class: "none", Sign: "→", Word: tally}
		return c
	}
	verdict := spec.Pass
	for _, o := range []spec.Outcome{spec.Invalid, spec.Late, spec.Flaky, spec.Fail} {
		if slices.ContainsFunc(worst, func(c *cell) bool { return c.Verdict == o }) {
			verdict = o
		}
	}
	c.Badge = badgeOf(verdict)
	c.Badge.Text = fmt.Sprintf("%d/%d", all.Passed, all.All())
	if verdict == spec.Late {
		c.Badge.Text = fmt.Sprintf("%d of %d", all.Late, all.All())
	}
	c.Text = append(c.Text, handled(of, all, worst))
	c.latency(main)
	if text := s.rank(of, main.Scenario); text != "" {
		c.Text = append(c.Text, text)
	}
	if s.Recorded(of.Label) {
		c.Text = append(c.Text, "Correctness: "+tally+".")
	}
	return c
}

// rank says where a style stands in a scenario; empty: it is not ranked.
func (s *study) rank(of *style, scenario string) string {
	mine := s.RankOf(of.Label, scenario)
	if mine.Place == 0 {
		return ""
	}
	ranked := 0
	var others []string
	for _, k := range s.Ranking(scenario) {
		if k.Place > 0 {
			ranked++
		}
		if k.Place == mine.Place && k.Label != of.Label {
			others = append(others, k.Label)
		}
	}
	text := fmt.Sprintf("By that it ranks %d of %d", mine.Place, ranked)
	if len(others) > 0 {
		text += ", a place that it shares with " + list(others) + ": neighbours among them cannot be told apart"
	}
	return text + "."
}

// handled is the sentence on a style's verdicts. Of what does not apply on all of
// its rounds there is none.
func handled(of *style, all judge.Tally, worst []*cell) string {
	if of.Floor {
		return "The floor: no operator is installed, the harness writes the Deployment itself. Of a single change, what is below it is noise; of a load of updates it is not, since the harness writes every step, which an operator need not."
	}
	if len(worst) == 0 {
		return fmt.Sprintf("Handled all of %s correctly.", plain.Plural(all.All(), "change"))
	}
	var parts []string
	for _, c := range worst {
		text := c.VerdictText()
		if written, _ := c.Outcome(); written.Censored > 0 && c.Verdict != spec.Late {
			text += fmt.Sprintf(", %d of %d timed out", written.Censored, written.N)
		}
		parts = append(parts, c.Scenario+" ("+text+")")
	}
	return fmt.Sprintf("Handled %s of %s correctly; see %s.", fmt.Sprint(all.Passed), plain.Plural(all.All(), "change"), list(parts))
}

// latency are the sentences on how long the main scenario took. The figure to
// remember is the operator's part: when pods are ready is the kubelet's.
func (c *card) latency(main *cell) {
	first, last := main.outcome()
	if first == nil || first.N == 0 {
		c.Big, c.BigOf = "–", main.Scenario+": no latency counts"
		return
	}
	c.Big = first.P50.String()
	c.BigOf = fmt.Sprintf("%s until %s, median of %s in %s", main.Scenario, first.Phase, plain.Plural(first.N, "sample"), plain.Plural(first.Rounds, "round"))
	text := fmt.Sprintf("On %s, the median is %s until the %s", main.Scenario, c.Big, inWords(first.Phase))
	if beside := main.BesideFloor(first.Summary); beside != "" && !main.Load() {
		text += " (" + beside + " times the floor)"
	}
	if last != nil && last.N > 0 {
		text += fmt.Sprintf(" and %s until the %s", last.P50, inWords(last.Phase))
	}
	c.Text = append(c.Text, text+".")
}

// title names what was compared; the floor is no contestant.
func (s *study) title() string {
	var names []string
	for _, one := range s.Styles {
		if !one.Floor {
			names = append(names, one.Label)
		}
	}
	const few = 4 // more would be no title
	switch {
	case len(names) == 0:
		return "The floor"
	case len(names) == 1:
		return "Operator style: " + names[0]
	case len(names) > few:
		return fmt.Sprintf("%d operator styles", len(names))
	}
	return "Operator styles: " + list(names)
}

// lead is the page's first sentence.
func (s *study) lead() string {
	var names, recorded []string
	for _, in := range s.Scenes {
		names = append(names, in.Name)
	}
	for _, one := range s.Matrix.Styles {
		if s.Recorded(one.Label) {
			recorded = append(recorded, one.Label)
		}
	}
	checked := plain.Plural(len(s.Matrix.Rows()), "scenario")
	var lead string
	switch {
	case len(names) == 0 && !s.HasMatrix():
		return "The recording holds no sample."
	case len(names) == 0:
		lead = fmt.Sprintf("The same %s on a real cluster, faults included: does each style do what it must?", checked)
	default:
		lead = fmt.Sprintf("The same changes (%s) of the same custom resources on one real cluster, handled by each style: %s, %s latencies.",
			list(names), s.RoundsText(), fmt.Sprint(len(s.Samples)))
	}
	if len(names) > 0 && s.HasMatrix() {
		who := "Each"
		if len(recorded) < len(s.Matrix.Styles) {
			who = list(recorded)
		}
		lead += fmt.Sprintf(" %s went through %s to see whether it does what it must.", who, checked)
	}
	if e := s.Environment; e != nil {
		lead += fmt.Sprintf(" Recorded on %s on %s, Kubernetes %s.", e.Began.UTC().Format("2 January 2006"), e.Host.String(), e.Kubernetes)
	}
	return lead
}
