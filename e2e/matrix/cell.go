package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
)

// Cell is one style in one scenario, over all repeats.
type Cell struct {
	Style           Style
	Scenario, Group string

	Verdict     judge.Outcome // of the tally
	judge.Tally               // of the repeats

	// Oracles are those that were asked, in the scenario's order.
	Oracles []Oracle
	// Reason says why the cell is invalid, late or not applicable.
	Reason   string
	Recovery *Recovery // nil: nothing was broken, or it is not known
	Repeats  []Repeat  // in their order
}

// Repeat is one sample, judged.
type Repeat struct {
	Run    string // the recording's
	Result judge.Result
}

// Oracle is what one oracle said over the repeats.
type Oracle struct {
	Name string
	judge.Tally
	// Of the first repeat with the worst outcome (fail, invalid, then the rest).
	Outcome   judge.Outcome
	Message   string
	Evidence  []string
	Run       string
	Round     int
	Namespace string
}

// add takes one more repeat.
func (c *Cell) add(run string, result *judge.Result) {
	kept := *result
	kept.Samples = nil // they are not the matrix's business, and they are many
	if kept.Recovery != nil {
		if c.Recovery == nil {
			c.Recovery = &Recovery{}
		}
		c.Recovery.add(*kept.Recovery)
	}
	c.Repeats = append(c.Repeats, Repeat{Run: run, Result: kept})
	c.Add(result.Outcome())
	for _, v := range result.Verdicts {
		i := slices.IndexFunc(c.Oracles, func(o Oracle) bool { return o.Name == v.Oracle })
		if i < 0 {
			i, c.Oracles = len(c.Oracles), append(c.Oracles, Oracle{Name: v.Oracle})
		}
		c.Oracles[i].add(run, result, v)
	}
}

func (o *Oracle) add(run string, result *judge.Result, v judge.Verdict) {
	o.Add(v.Outcome)
	if o.Outcome == "" || severity(v.Outcome) > severity(o.Outcome) {
		o.Outcome, o.Message, o.Evidence = v.Outcome, v.Message, v.Evidence
		o.Run, o.Round, o.Namespace = run, result.Round, result.Namespace
	}
}

// severity orders outcomes: what a reader must be told of first is highest.
func severity(o judge.Outcome) int {
	return slices.Index([]judge.Outcome{judge.NotApplicable, judge.Pass, judge.Invalid, judge.Fail}, o)
}

// sum draws the conclusions once all repeats are there.
func (c *Cell) sum() {
	c.Verdict = c.Tally.Verdict()
	if late, there := c.Overdue(); there && c.Verdict == judge.Late {
		c.Reason = late.Message
	}
	if c.Verdict == judge.Invalid || c.Verdict == judge.NotApplicable {
		for _, o := range c.Oracles {
			if o.Outcome == c.Verdict {
				c.Reason = o.Message
				break
			}
		}
	}
}

// Overdue tells of the first repeat that was late as an oracle would, since none
// did; false: none was.
func (c *Cell) Overdue() (Oracle, bool) {
	for _, one := range c.Repeats {
		if r := &one.Result; r.Outcome() == judge.Late {
			return Oracle{
				Name: string(judge.Late), Outcome: judge.Late, Run: one.Run, Round: r.Round, Namespace: r.Namespace,
				Message: fmt.Sprintf("given up after %.0f s, though no oracle failed: %s", (r.Ended - r.Began).Seconds(), cmp.Or(r.Reason, "its time was over")),
			}, true
		}
	}
	return Oracle{}, false
}

// FailedOracles are those that failed in some repeat.
func (c *Cell) FailedOracles() []Oracle {
	var all []Oracle
	for _, o := range c.Oracles {
		if o.Failed > 0 {
			all = append(all, o)
		}
	}
	return all
}

// FailedNames are the names of FailedOracles.
func (c *Cell) FailedNames() []string {
	var names []string
	for _, o := range c.FailedOracles() {
		names = append(names, o.Name)
	}
	return names
}

// Oracle returns what an oracle said; false: it was not asked.
func (c *Cell) Oracle(name string) (Oracle, bool) {
	for _, o := range c.Oracles {
		if o.Name == name {
			return o, true
		}
	}
	return Oracle{}, false
}

// Word is the verdict, with counts where repeats differ.
func (c *Cell) Word() string {
	switch n := len(c.Repeats); {
	case c.Verdict == Flaky:
		return fmt.Sprintf("%s, %d of %d passed", Flaky, c.Passed, n)
	case c.Verdict == judge.Late:
		return fmt.Sprintf("%s, %d of %d in time", c.Verdict, c.Passed, n)
	case c.Verdict == judge.Invalid && c.Invalid < n:
		return fmt.Sprintf("%s, %d of %d", c.Verdict, c.Invalid, n)
	case c.Verdict == judge.Fail && c.Failed < n:
		return fmt.Sprintf("%s, %d of %d", c.Verdict, c.Failed, n)
	}
	return string(c.Verdict)
}

// String is the verdict with the oracles that failed, and how it recovered.
func (c *Cell) String() string {
	text := c.Word()
	if names := c.FailedNames(); len(names) > 0 {
		text += " (" + strings.Join(names, ", ") + ")"
	}
	if c.Recovery != nil {
		text += ", recovery: " + c.Recovery.By()
	}
	return text
}
