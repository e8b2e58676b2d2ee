package html

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
)

// card tells a stranger of one style in a few sentences.
type card struct {
	Style   *style
	Badge   badge
	Big     string // the figure to remember
	BigOf   string // what it is
	BigFrom *series
	Text    []string
	Leads   string // the id of what the badge leads to
}

// cards are one for each style.
func (s *study) cards() []*card {
	var all []*card
	for _, one := range s.Styles {
		all = append(all, s.card(one))
	}
	return all
}

func (s *study) card(of *style) *card {
	c := &card{Style: of}
	var all judge.Tally
	var worst []*cell
	main := (*cell)(nil)
	in := (*scene)(nil)
	for _, one := range s.Scenes {
		for _, cell := range one.Cells {
			if cell.Style != of {
				continue
			}
			all.Join(cell.Tally)
			if v := cell.Verdict; v != judge.Pass && (v != judge.NotApplicable || cell.Tally.Passed < cell.Tally.All()) {
				worst = append(worst, cell)
			}
			if main == nil || one.Name == headline {
				main, in = cell, one
			}
		}
	}
	verdict := judge.Pass
	for _, o := range []judge.Outcome{judge.Invalid, judge.Late, judge.Flaky, judge.Fail} {
		if slices.ContainsFunc(worst, func(c *cell) bool { return c.Verdict == o }) {
			verdict = o
		}
	}
	c.Badge = badgeOf(verdict)
	c.Badge.Text = fmt.Sprintf("%d/%d", all.Passed, all.All())
	if verdict == judge.Late {
		c.Badge.Text = fmt.Sprintf("%d of %d", all.Late, all.All())
	}
	c.Leads = "verdicts"
	if main != nil {
		c.Text = append(c.Text, handled(of, all, worst))
		c.latency(in, main)
		if text := s.rank(of, in); text != "" {
			c.Text = append(c.Text, text)
		}
	}
	c.matrix(s, main != nil)
	return c
}

// rank says where a style stands in a scenario; empty: it is not ranked.
func (s *study) rank(of *style, in *scene) string {
	mine, ranking := s.RankOf(of.Label, in.Name), s.Ranking(in.Name)
	if mine.Place == 0 {
		return ""
	}
	ranked := 0
	var others []string
	for _, k := range ranking {
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

// matrix tells how the style did in the correctness matrix; measured: the card
// has a latency to be known by already.
func (c *card) matrix(s *study, measured bool) {
	short, tally := s.Tally(c.Style.Label)
	if !s.Recorded(c.Style.Label) {
		return
	}
	if measured {
		c.Text = append(c.Text, "Correctness: "+tally+".")
		return
	}
	c.Big, c.BigOf, c.Leads = strings.TrimSuffix(short, " fail"), "scenarios fail", "correctness"
	c.Badge = badge{Class: "none", Sign: "→", Word: tally}
}

// headline is the scenario whose latency a style is known by, where it is there.
const headline = "create"

// handled is the sentence on a style's verdicts. Of what does not apply on all of
// its rounds there is none.
func handled(of *style, all judge.Tally, worst []*cell) string {
	if of.Floor {
		return "The floor: no operator is installed, the harness writes the Deployment itself. Of a single change, what is below it is noise; of a load of updates it is not, since the harness writes every step, which an operator need not."
	}
	if len(worst) == 0 {
		return fmt.Sprintf("Handled all of %s correctly.", counted(all.All(), "change"))
	}
	var parts []string
	for _, c := range worst {
		text := c.VerdictText()
		if written, _ := c.Outcome(); written.Censored > 0 && c.Verdict != judge.Late {
			text += fmt.Sprintf(", %d of %d timed out", written.Censored, written.N)
		}
		parts = append(parts, c.Scenario+" ("+text+")")
	}
	return fmt.Sprintf("Handled %s of %s correctly; see %s.", count(all.Passed), counted(all.All(), "change"), list(parts))
}

// latency are the sentences on how long the main scenario took. The figure to
// remember is the operator's part: when pods are ready is the kubelet's.
func (c *card) latency(in *scene, main *cell) {
	written, ready := main.outcome()
	first, last := main.series[written], main.series[ready]
	if first == nil || first.N == 0 {
		c.Big, c.BigOf = "–", in.Name+": no latency counts"
		return
	}
	middle := first.P50.String()
	c.Big, c.BigFrom = middle, first
	c.BigOf = fmt.Sprintf("%s until %s, median of %s in %s", in.Name, written, counted(first.N, "sample"), counted(first.Rounds, "round"))
	var text strings.Builder
	fmt.Fprintf(&text, "On %s, the median is %s until the %s", in.Name, middle, told(written))
	if _, known := main.ToFloor(first.Summary); known {
		fmt.Fprintf(&text, " (%s the floor)", ratio(main, first))
	}
	if last != nil && last.N > 0 {
		fmt.Fprintf(&text, " and %s until the %s", last.P50.String(), told(ready))
	}
	c.Text = append(c.Text, text.String()+".")
}

// told is a phase in words for a stranger.
func told(phase string) string {
	switch phase {
	case judge.PhaseAcknowledged:
		return "request is acknowledged"
	case judge.PhaseStatusWritten:
		return "status is written"
	case judge.PhaseQuiet:
		return "last event"
	case judge.PhaseGone:
		return "custom resource is gone"
	case judge.PhaseChildWritten:
		return "Deployment is written"
	case judge.PhaseReady:
		return "pods are ready"
	case judge.PhaseChildGone:
		return "Deployment is gone"
	case judge.PhasePodsGone:
		return "pods are gone"
	}
	return phase
}

// title names what was compared; the floor is no contestant.
func (s *study) title() string {
	var names []string
	for _, one := range s.Styles {
		if !one.Floor {
			names = append(names, one.Label)
		}
	}
	switch len(names) {
	case 0:
		return "The floor"
	case 1:
		return "Operator style: " + names[0]
	}
	const few = 4 // more would be no title
	if len(names) > few {
		return fmt.Sprintf("%d operator styles", len(names))
	}
	return "Operator styles: " + list(names)
}
