package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Style is what a cell is of: a style, in one of its variants.
type Style struct {
	Label         string // record.Label of the two
	Name, Variant string
}

// Cell is one style in one scenario, over all samples. Correctness counts from
// the first sample; latencies leave those out that warm up.
type Cell struct {
	Style           Style
	Scenario, Group string
	Run             string // of a measured cell; empty in Matrix, whose cells count the samples of all runs

	Verdict     spec.Outcome // of the tally
	judge.Tally              // of the samples
	Results     []Judged     // of its samples, in their order
	Warmups     int          // of these, those that only warmed up

	Oracles  []Oracle       // that were asked, in the scenario's order
	Reason   string         // why the cell is invalid, late or not applicable
	Recovery *Recovery      // nil: nothing was broken, or it is not known
	Service  *judge.Service // of the sample in which the managed system was without an answer the longest; nil: none was asked

	Phases []stat.Summary // of the latencies, in the order of the phases; none: they are no measurement
	floor  []stat.Summary // the floor's phases in the same run and scenario
}

// Measured reports whether some sample did not only warm up.
func (c *Cell) Measured() bool { return c.All() > c.Warmups }

// Judged is one sample, judged, with the run that it is of.
type Judged struct {
	Run string
	judge.Result
}

// Oracle is what one oracle said over the samples.
type Oracle struct {
	Name string
	judge.Tally
	// Of the first sample with the worst outcome (fail, invalid, then the rest).
	Outcome   spec.Outcome
	Message   string
	Evidence  []string
	Run       string
	Round     int
	Namespace string
}

// add takes one more sample.
func (c *Cell) add(run string, result judge.Result) {
	if result.Recovery != nil {
		if c.Recovery == nil {
			c.Recovery = &Recovery{}
		}
		c.Recovery.add(*result.Recovery)
	}
	if is := result.Service; is != nil && (c.Service == nil || is.Gap > c.Service.Gap) {
		c.Service = is
	}
	c.Results = append(c.Results, Judged{Run: run, Result: result})
	c.Add(result.Outcome())
	if result.Warmup {
		c.Warmups++
	}
	for _, v := range result.Verdicts {
		i := slices.IndexFunc(c.Oracles, func(o Oracle) bool { return o.Name == v.Oracle })
		if i < 0 {
			i, c.Oracles = len(c.Oracles), append(c.Oracles, Oracle{Name: v.Oracle})
		}
		c.Oracles[i].add(run, &result, v)
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
func severity(o spec.Outcome) int {
	return slices.Index([]spec.Outcome{spec.NotApplicable, spec.Pass, spec.Invalid, spec.Fail}, o)
}

// sum draws the conclusions once all samples are there.
func (c *Cell) sum() {
	c.Verdict = c.Tally.Verdict()
	if late, there := c.overdue(); there && c.Verdict == spec.Late {
		c.Reason = late.Message
	}
	if c.Verdict == spec.Invalid || c.Verdict == spec.NotApplicable {
		of, _ := plain.Find(c.Oracles, func(o Oracle) bool { return o.Outcome == c.Verdict })
		c.Reason = of.Message
	}
}

// overdue tells of the first sample that was given up as an oracle would, since none did; false: none was.
func (c *Cell) overdue() (Oracle, bool) {
	i := slices.IndexFunc(c.Results, func(s Judged) bool { return s.Outcome() == spec.Late })
	if i < 0 {
		return Oracle{}, false
	}
	s := &c.Results[i]
	return Oracle{
		Name: string(spec.Late), Outcome: spec.Late, Run: s.Run, Round: s.Round, Namespace: s.Namespace,
		Message: fmt.Sprintf("given up after %.0f s, though no oracle failed: %s", s.seconds(), cmp.Or(s.Reason, "its time was over")),
	}, true
}

func (s Judged) seconds() float64 { return (s.Ended - s.Began).Seconds() }

// Seconds is how long the cell's samples took.
func (c *Cell) Seconds() float64 {
	return plain.Sum(c.Results, func(s Judged) float64 { return s.seconds() })
}

// FailedNames are the names of the oracles that failed in some sample.
func (c *Cell) FailedNames() []string {
	return plain.Pick(c.Oracles, func(o Oracle) (string, bool) { return o.Name, o.Failed > 0 })
}

// Reasons are the oracles that say why a cell did not pass: those that failed, or else those that could not judge.
// Those that say the same are named once. If a sample is late and no oracle failed, its end is the reason.
func (c *Cell) Reasons() []Oracle {
	if late, there := c.overdue(); there && c.Verdict == spec.Late {
		return []Oracle{late}
	}
	outcome := spec.Invalid
	if c.Failed > 0 {
		outcome = spec.Fail
	}
	var all []Oracle
	for _, o := range c.Oracles {
		if o.Outcome != outcome {
			continue
		}
		if i := slices.IndexFunc(all, func(have Oracle) bool { return have.Message == o.Message }); i >= 0 {
			all[i].Name += ", " + o.Name
			continue
		}
		all = append(all, o)
	}
	return all
}

// Word is the verdict, with counts where samples differ.
func (c *Cell) Word() string {
	switch n := len(c.Results); {
	case c.Verdict == spec.Flaky:
		return fmt.Sprintf("%s, %d of %d passed", c.Verdict, c.Passed, n)
	case c.Verdict == spec.Late:
		return fmt.Sprintf("%s, %s", c.Verdict, c.CountText())
	case c.Verdict == spec.Invalid && c.Invalid < n:
		return fmt.Sprintf("%s, %d of %d", c.Verdict, c.Invalid, n)
	case c.Verdict == spec.Fail && c.Failed < n:
		return fmt.Sprintf("%s, %d of %d", c.Verdict, c.Failed, n)
	}
	return string(c.Verdict)
}

// CountText says how many samples passed; for a late cell, how many were in time.
func (c *Cell) CountText() string {
	if c.Verdict == spec.Late {
		return fmt.Sprintf("%d of %d in time", c.Passed, c.All())
	}
	return fmt.Sprintf("%d/%d", c.Passed, c.All())
}

// VerdictText is the verdict with CountText.
func (c *Cell) VerdictText() string { return string(c.Verdict) + " " + c.CountText() }

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

// Phase returns a phase's summary; its N is 0 if there is none.
func (c *Cell) Phase(name string) (stat.Summary, bool) {
	return plain.Find(c.Phases, func(p stat.Summary) bool { return p.Phase == name })
}

// Load reports whether the scenario changes many custom resources at once.
func (c *Cell) Load() bool { return c.Group == spec.GroupLoad }

// IsFloor reports whether the cell is the floor's.
func (c *Cell) IsFloor() bool { return c.Style.Name == spec.Floor }

// Outcome is when the operator had done its part, and when the cluster had: the
// Deployment written and its pods ready, or both gone.
func (c *Cell) Outcome() (written, ready stat.Summary) {
	written, there := c.Phase(spec.PhaseChildWritten)
	ready, _ = c.Phase(spec.PhaseReady)
	if !there {
		written, _ = c.Phase(spec.PhaseChildGone)
		ready, _ = c.Phase(spec.PhasePodsGone)
	}
	return written, ready
}

// Rounds counts the cell's measured rounds, and the samples in each: passes, or
// the custom resources of a load; least and most differ where rounds do.
func (c *Cell) Rounds() (rounds, least, most int) {
	type round struct {
		run    string
		number int
	}
	count := map[round]int{}
	for i := range c.Results {
		if s := &c.Results[i]; !s.Warmup {
			count[round{s.Run, s.Round}]++
		}
	}
	for _, n := range count {
		if least == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return len(count), least, most
}

// Cells adds samples up by style and scenario. The zero value is ready.
type Cells struct {
	all []*Cell // in order of appearance
	at  map[key]*Cell
}

type key struct{ label, scenario string }

// Add takes one more sample.
func (c *Cells) Add(run string, result judge.Result) {
	at := key{record.Label(result.Style, result.Variant), result.Scenario}
	cell := c.at[at]
	if cell == nil {
		if c.at == nil {
			c.at = map[key]*Cell{}
		}
		cell = &Cell{Style: Style{at.label, result.Style, result.Variant}, Scenario: result.Scenario, Group: result.Group}
		c.at[at], c.all = cell, append(c.all, cell)
	}
	cell.add(run, result)
}

// Sum draws the conclusions, once all samples are there.
func (c *Cells) Sum() []*Cell {
	for _, cell := range c.all {
		cell.sum()
	}
	return c.all
}
