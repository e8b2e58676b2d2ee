package html

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
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
	var passed, rounds int
	var worst, open []*cell
	main := (*cell)(nil)
	in := (*scene)(nil)
	for _, one := range s.Scenes {
		for _, cell := range one.Cells {
			if cell.Style != of {
				continue
			}
			verdict, p, n := cell.Verdict()
			passed, rounds = passed+p, rounds+n
			switch {
			case verdict != judge.Pass && verdict != judge.NotApplicable:
				worst = append(worst, cell)
			case p < n:
				open = append(open, cell)
			}
			if main == nil || one.Name == headline {
				main, in = cell, one
			}
		}
	}
	c.Badge = badgeOf(judge.Pass)
	if len(worst) > 0 {
		verdict, _, _ := worst[0].Verdict()
		c.Badge = badgeOf(verdict)
	}
	c.Badge.Text = fmt.Sprintf("%d/%d", passed, rounds)
	c.Leads = "verdicts"
	if main != nil {
		c.Text = append(c.Text, handled(of, passed, rounds, worst, open))
		c.latency(in, main)
	}
	c.matrix(s, main != nil)
	return c
}

// matrix tells how the style did in the correctness matrix; measured: the card
// has a latency to be known by already.
func (c *card) matrix(s *study, measured bool) {
	passed, all, tally := s.Tally(c.Style.Label)
	if !s.HasMatrix() || all == 0 {
		return
	}
	if measured {
		c.Text = append(c.Text, "Correctness: "+tally+".")
		return
	}
	c.Big, c.BigOf, c.Leads = fmt.Sprintf("%d/%d", passed, all), "scenarios pass", "correctness"
	c.Badge = badge{Class: "none", Sign: "→", Word: tally}
}

// headline is the scenario whose latency a style is known by, where it is there.
const headline = "create"

// handled is the sentence on a style's verdicts. Of what is open, such as a load
// that was not done in its time, there is none on some rounds.
func handled(of *style, passed, rounds int, worst, open []*cell) string {
	if of.Floor {
		return "The floor: no operator is installed, the harness writes the Deployment itself. What is below it is noise."
	}
	if len(worst)+len(open) == 0 {
		return fmt.Sprintf("Handled all of %s correctly.", counted(rounds, "change"))
	}
	var parts []string
	for _, c := range slices.Concat(worst, open) {
		text := c.VerdictText()
		if written, _ := c.Outcome(); written.Censored > 0 {
			text += fmt.Sprintf(", %d of %d timed out", written.Censored, written.N)
		}
		parts = append(parts, c.Scenario+" ("+text+")")
	}
	return fmt.Sprintf("Handled %s of %s correctly; see %s.", count(passed), counted(rounds, "change"), list(parts))
}

// latency are the sentences on how long the main scenario took.
func (c *card) latency(in *scene, main *cell) {
	written, ready := main.outcome()
	first, last := main.series[written], main.series[ready]
	if last == nil || last.N() == 0 {
		c.Big, c.BigOf = "–", in.Name+": no latency counts"
		return
	}
	middle := report.Latency(last.ordered.Quantile(0.5))
	c.Big, c.BigFrom = middle, last
	c.BigOf = fmt.Sprintf("%s until %s, median of %s", in.Name, ready, counted(last.N(), "sample"))
	var text strings.Builder
	fmt.Fprintf(&text, "On %s, the median is %s until the %s", in.Name, middle, told(ready))
	if first != nil && first.N() > 0 {
		fmt.Fprintf(&text, " and %s until the %s", report.Latency(first.ordered.Quantile(0.5)), told(written))
	}
	if floor := in.floor(); floor != nil && floor != main {
		slower, later := ratio(last, floor.series[ready]), ratio(first, floor.series[written])
		fmt.Fprintf(&text, ": %s and %s the floor", slower, later)
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

// rounds is how many measured rounds there are.
func (s *study) rounds() int {
	var seen []string
	for i := range s.Samples {
		one := fmt.Sprint(s.Samples[i].Run, s.Samples[i].Block)
		if !s.Samples[i].Warmup && (len(seen) == 0 || seen[len(seen)-1] != one) && !slices.Contains(seen, one) {
			seen = append(seen, one)
		}
	}
	return len(seen)
}
