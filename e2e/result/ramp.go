package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Step is how a style kept up with one step of a ramp.
type Step struct {
	Rate
	Round        int
	Due          int // changes a second
	Unknown      int // of the changes, those of which nothing is known: a request or a watch failed
	Acknowledged stat.Observation
	GaveOut      string       // what did where the rate was not held: one of the words below; empty: it was
	Strain       *cost.Strain // how busy machine and API server were meanwhile; nil: it is not known

	ramp spec.Ramp
}

// What gave out in a step. Only the style's is held against it.
const (
	GaveHarness = "harness"    // it sent late
	GaveServer  = "API server" // accepting the change took half of the time
	GaveMachine = "machine"    // its CPUs were stolen; or the floor, which has no operator, does not hold the rate either
	GaveStyle   = "style"
)

// serverShare is the share of what a change may take that the API server may take to accept it.
const serverShare = 0.5

// stolenFrom is the share of CPU time taken by the hypervisor from which nothing else is asked for what gave out.
const stolenFrom = 0.1

// StepOf is the step of a rate in one round, by the samples of its phases. What gave out beside
// the style is known only where the floor's ramp is.
func StepOf(ramp spec.Ramp, rate int, samples []judge.Sample) Step {
	var written []judge.Sample
	var acknowledged []stat.Observation
	for _, s := range samples {
		switch {
		case s.Warmup || s.Outcome == judge.Interrupted:
		case s.Phase == spec.PhaseChildWritten:
			written = append(written, s)
		case s.Phase == spec.PhaseAcknowledged:
			acknowledged = append(acknowledged, stat.Observation{Value: s.Value - s.Late.Seconds(), Censored: s.Outcome == judge.Timeout})
		}
	}
	step := Step{Due: rate, Unknown: ramp.Changes(rate) - len(written), ramp: ramp}
	if len(written) > 0 {
		step.Rate = rateOf(written)
	}
	if len(acknowledged) > 0 {
		step.Acknowledged = stat.Order(acknowledged).Quantile(0.99)
	}
	return step
}

// Held reports whether the step met its objective: all were sent, none is lost, the queue does
// not grow, and 99 of 100 were written in time.
func (s *Step) Held() bool {
	return s.Unknown <= 0 && s.N > 0 && s.Lost == 0 && !s.Grows() && !s.P99.Censored && s.P99.Value <= s.ramp.P99.Seconds()
}

// Fails says why the rate was not held; empty: it was.
func (s *Step) Fails() string {
	var parts []string
	if s.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("of %d of %d it is not known when they were written: a request or a watch failed", s.Unknown, s.ramp.Changes(s.Due)))
	}
	if s.Grows() {
		parts = append(parts, "its queue grows")
	}
	if s.N > 0 && (s.P99.Censored || s.P99.Value > s.ramp.P99.Seconds()) {
		parts = append(parts, "the p99 is "+plain.AtLeast(s.P99.Value, s.P99.Censored))
	}
	if s.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d lost", s.Lost, s.N))
	} else if s.Unknown <= 0 && len(parts) > 0 {
		parts = append(parts, "nothing lost")
	}
	return strings.Join(parts, "; ")
}

// Text says in a sentence how it went.
func (s *Step) Text() string {
	if s.Held() {
		return fmt.Sprintf("holds %s a second; p99 %s", plain.Plural(s.Due, "change"), s.P99)
	}
	return fmt.Sprintf("at %s a second %s", plain.Plural(s.Due, "change"), s.Fails())
}

// gaveOut is what did. floor is its ramp in the same round; nil: there is none.
func (s *Step) gaveOut(floor *Climb) string {
	slow := s.Acknowledged.Censored || s.Acknowledged.Value > serverShare*s.ramp.P99.Seconds()
	switch {
	case s.Held():
		return ""
	case s.Strain != nil && s.Strain.Stolen >= stolenFrom:
		return GaveMachine
	case s.Late.Seconds() > lateShare*s.ramp.P99.Seconds():
		return GaveHarness
	case slow || s.Unknown > 0:
		return GaveServer
	case floor != nil && floor.failed() > 0 && floor.failed() <= s.Due:
		return GaveMachine
	}
	return GaveStyle
}

// StepColumns are the figures of a style in a step of a ramp.
func StepColumns() []ColumnOf[*Step] {
	const due = "from when a change was due until it was written"
	return []ColumnOf[*Step]{
		{"style", "style", "", "", "", Words, func(s *Step) Value { return Value{Text: s.Style} }},
		{"round", "r", "the round", "", "1", Neither, func(s *Step) Value { return whole(s.Round) }},
		{"due", "due/s", "changes that were due", "", "1/s", Neither, func(s *Step) Value { return whole(s.Due) }},
		{"n", "n", "changes, or of how many it is known when they were written", "", "1", Neither, func(s *Step) Value {
			v := whole(s.N)
			if s.Unknown > 0 {
				v.Text = fmt.Sprintf("%d/%d", s.N, s.N+s.Unknown)
			}
			return v
		}},
		{"done", "done/s", "changes that were written, from the first that was due until the last", "", "1/s", More, func(s *Step) Value { return perSecond(s.Done) }},
		{"p50", "p50", "median " + due, "", "s", Less, func(s *Step) Value { return s.observed(s.P50) }},
		{"p99", "p99", "the same, its p99", "", "s", Less, func(s *Step) Value { return s.observed(s.P99) }},
		{"lost", "lost", "changes that were not written in time, or wrong", "", "1", Less, func(s *Step) Value {
			if s.GaveOut != GaveStyle { // then nothing is held against it
				return whole(s.Lost)
			}
			return lost(s.Lost)
		}},
		{"accepted", "accepted", "when the API server took a change, from when it was sent (p99)", "", "s", Less, func(s *Step) Value { return s.observed(s.Acknowledged) }},
		{"late", "late", "how much later than it was due the harness sent a change (p99)", "", "s", Less, func(s *Step) Value { return s.observed(stat.Observation{Value: s.Late.Seconds()}) }},
		{"gave-out", "gave out", "what did, where the rate was not held", "", "", Words, func(s *Step) Value { return Value{Text: s.GaveOut} }},
	}
}

// Climb is a ramp in one round.
type Climb struct {
	Run   string
	Round int
	Steps []Step // in the order in which they were driven
	Held  int    // the highest rate that was; 0: none was
	// Differs says where another rate was driven than the recording asks for; empty: nowhere.
	Differs string
}

// failed is the lowest rate that was not held; 0: all were.
func (c *Climb) failed() int {
	if s := c.limit(); s != nil {
		return s.Due
	}
	return 0
}

// limit is the step of that rate; nil: all were held.
func (c *Climb) limit() *Step {
	var lowest *Step
	for i := range c.Steps {
		if s := &c.Steps[i]; !s.Held() && (lowest == nil || s.Due < lowest.Due) {
			lowest = s
		}
	}
	return lowest
}

// open reports whether the style may hold more: another gave out above, or nothing did.
func (c *Climb) open() bool {
	limit := c.limit()
	return limit == nil || limit.GaveOut != GaveStyle
}

// Ramp is how a style went through a ramp, by round.
type Ramp struct {
	Style, Scenario string
	Climbs          []Climb
}

// Held is the highest rate that was held, each round a replicate; a round in which it was not
// the style that gave out has a rate of at least so many.
func (r *Ramp) Held() stat.Summary {
	rates := plain.Map(r.Climbs, func(c Climb) stat.Observation { return stat.Observation{Value: float64(c.Held), Censored: c.open()} })
	return stat.Of(rates...)
}

// spanned is the number of rounds from which the least and the most are told.
const spanned = 3

// Interval is that of Held: of 95% where there are rounds enough, else from the least to the
// most of three rounds or more; false: there are too few.
func (r *Ramp) Interval() (low, high stat.Observation, known bool) {
	held := r.Held()
	switch {
	case held.CI50 != nil:
		return held.CI50.Low, held.CI50.High, true
	case held.N >= spanned:
		return held.Ordered.At(1), held.Max, true
	}
	return low, high, false
}

// Text says in a sentence what the style holds, and what there is above.
func (r *Ramp) Text() string {
	held := r.Held()
	at := slices.IndexFunc(r.Climbs, func(c Climb) bool { return float64(c.Held) == held.P50.Value && c.open() == held.P50.Censored })
	one := &r.Climbs[max(at, 0)]
	text := fmt.Sprintf("holds %s a second", plain.Plural(one.Held, "change"))
	if one.Held == 0 {
		text = "holds no rate that was tried"
	}
	if low, high, known := r.Interval(); known {
		text += fmt.Sprintf(" (%s to %s in %d rounds)", shown("1/s", low), shown("1/s", high), len(r.Climbs))
	}
	limit := one.limit()
	switch {
	case limit == nil:
		return text + ", the most that was tried; nothing lost"
	case limit.GaveOut == GaveStyle:
		text += fmt.Sprintf("; at %d %s", limit.Due, limit.Fails())
	default:
		text += fmt.Sprintf("; at %d the %s gave out, not the style: %s", limit.Due, limit.GaveOut, limit.Fails())
	}
	if strain := strainText(limit.Strain); strain != "" {
		text += "; " + strain
	}
	return text
}

// Ramps are those that were driven, by scenario, then in the order of the styles.
func (r *Set) Ramps() []Ramp {
	type key struct {
		scenario, style, run string
		round                int
	}
	var samples plain.Groups[key, judge.Sample]
	for _, s := range r.Samples {
		if s.Rate == 0 || s.Warmup {
			continue
		}
		samples.Add(key{s.Scenario, record.Label(s.Operator, s.Variant), s.Run, s.Block}, s)
	}
	slices.SortStableFunc(samples.Keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(slices.Index(r.Scenarios, a.scenario), slices.Index(r.Scenarios, b.scenario)),
			cmp.Compare(slices.Index(r.Styles, a.style), slices.Index(r.Styles, b.style)), cmp.Compare(a.round, b.round))
	})
	var ramps []Ramp
	floors := map[key]*Climb{}
	for _, k := range samples.Keys { // the floor is the first of the styles
		ramp := r.ramp(k.run, k.scenario)
		if ramp == nil {
			continue
		}
		climb := climbOf(*ramp, samples.Of[k])
		climb.Run, climb.Round = k.run, k.round
		alike := key{scenario: k.scenario, run: k.run, round: k.round}
		for i := range climb.Steps {
			s := &climb.Steps[i]
			s.Style, s.Round, s.Strain = k.style, k.round, r.strain(k.style, k.scenario, s.Due, k.run, k.round)
			s.GaveOut = s.gaveOut(floors[alike])
		}
		if k.style == spec.Floor {
			climb.ofFloor()
			floors[alike] = &climb
		}
		if last := len(ramps) - 1; last < 0 || ramps[last].Style != k.style || ramps[last].Scenario != k.scenario {
			ramps = append(ramps, Ramp{Style: k.style, Scenario: k.scenario})
		}
		last := &ramps[len(ramps)-1]
		last.Climbs = append(last.Climbs, climb)
	}
	return ramps
}

// ofFloor says of the floor, which has no operator, that the machine gave out.
func (c *Climb) ofFloor() {
	for i := range c.Steps {
		if c.Steps[i].GaveOut == GaveStyle {
			c.Steps[i].GaveOut = GaveMachine
		}
	}
}

// isRamp reports whether a scenario is a ramp in some run.
func (r *Set) isRamp(scenario string) bool {
	return slices.ContainsFunc(r.Parts, func(one Part) bool { return r.ramp(one.Header.Run, scenario) != nil })
}

// ramp is that of a run's scenario; nil: the recording has none.
func (r *Set) ramp(run, scenario string) *spec.Ramp {
	for i := range r.Parts {
		header := &r.Parts[i].Header
		for _, s := range header.Scenarios {
			if header.Run == run && s.Name == scenario {
				return s.Ramp
			}
		}
	}
	return nil
}

// climbOf is a round's, with the check that each step is the one that those before it ask for.
func climbOf(ramp spec.Ramp, samples []judge.Sample) Climb {
	steps := plain.Grouped(samples, func(s judge.Sample) int { return s.Rate })
	began := func(rate int) time.Duration {
		return slices.Min(plain.Map(steps.Of[rate], func(s judge.Sample) time.Duration { return s.From }))
	}
	slices.SortFunc(steps.Keys, func(a, b int) int { return cmp.Compare(began(a), began(b)) })
	var climb Climb
	var tried []spec.Tried
	for _, rate := range steps.Keys {
		if next := ramp.Next(tried); next != rate && climb.Differs == "" {
			climb.Differs = fmt.Sprintf("step %d was driven at %d changes a second, and by the steps before it %d was next", len(tried)+1, rate, next)
		}
		step := StepOf(ramp, rate, steps.Of[rate])
		if tried = append(tried, spec.Tried{Rate: rate, Held: step.Held()}); step.Held() {
			climb.Held = max(climb.Held, rate)
		}
		climb.Steps = append(climb.Steps, step)
	}
	if next := ramp.Next(tried); next > 0 && climb.Differs == "" {
		climb.Differs = fmt.Sprintf("it ends before %d changes a second were tried", next)
	}
	return climb
}

// heldValue is the column's, of a style in a ramp.
func heldValue(ramps []Ramp, scenario, label string) Value {
	for i := range ramps {
		r := &ramps[i]
		if r.Scenario != scenario || r.Style != label {
			continue
		}
		held := r.Held()
		v := observed("1/s", held.P50, held.N, held.N)
		v.Text, v.Run = v.Text+"/s", r.Climbs[0].Run
		if low, high, known := r.Interval(); known {
			v.Low, v.High = shown("1/s", low), shown("1/s", high)
		}
		return v
	}
	return Value{}
}
