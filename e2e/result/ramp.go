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
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Step is how a style kept up with one step of a ramp.
type Step struct {
	Rate
	Round        int
	Due          int // changes a second
	Unknown      int // the changes whose end is not known: a request or a watch failed
	Acknowledged stat.Observation
	GaveOut      string       // what did where the rate was not held: one of the words below; empty: it was
	Strain       *cost.Strain // how busy machine and API server were meanwhile; nil: it is not known

	ramp   spec.Ramp
	client string // how many requests the style's client allows itself; empty: the recording does not say
}

// What gave out in a step. Only the style's is held against it.
const (
	GaveHarness = "harness"    // it sent late
	GaveServer  = "API server" // accepting the change took half of the time
	GaveMachine = "machine"    // its CPUs were stolen; or the floor, which has no operator, does not hold the rate either
	GaveStyle   = "style"
	GaveClient  = "its client" // the style's held requests back, by a limit of its own
)

// own reports whether it was the style's to hold the rate.
func own(gaveOut string) bool { return gaveOut == GaveStyle || gaveOut == GaveClient }

// serverShare is the share of a change's time that the API server may take to accept it.
const serverShare = 0.5

// heldFrom is how many requests its client holds back at a time, on average, from which a style's rate is what its client
// allows itself: one that has reached its limit always has some to hold back, or all but always if a single worker sends
// them one by one; one that has not has hardly any.
const heldFrom = 0.5

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
		parts = append(parts, fmt.Sprintf("when %d of %d were written is not known: a request or a watch failed", s.Unknown, s.ramp.Changes(s.Due)))
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
	var machine *Step
	if floor != nil {
		machine = floor.limit()
	}
	switch {
	case s.Held():
		return ""
	case s.Strain != nil && s.Strain.Stolen >= stolenFrom:
		return GaveMachine
	case s.Late.Seconds() > lateShare*s.ramp.P99.Seconds():
		return GaveHarness
	case slow || s.Unknown > 0:
		return GaveServer
	case s.Strain != nil && s.Strain.Waited != nil && s.Strain.Waited.AtOnce() >= heldFrom:
		return GaveClient
	case machine != nil && machine.Due <= s.Due:
		return GaveMachine
	}
	return GaveStyle
}

// StepColumns are the figures of a style in a step of a ramp.
func StepColumns() []ColumnOf[*Step] {
	const due = "from when a change was due until it was written"
	return []ColumnOf[*Step]{
		{"style", "", true, func(s *Step) Value { return Value{Text: s.Style} }},
		{"r", "the round", false, func(s *Step) Value { return whole(s.Round) }},
		{"due/s", "changes that were due", false, func(s *Step) Value { return whole(s.Due) }},
		{"n", "changes, or of how many it is known when they were written", false, func(s *Step) Value {
			v := whole(s.N)
			if s.Unknown > 0 {
				v.Text = fmt.Sprintf("%d/%d", s.N, s.N+s.Unknown)
			}
			return v
		}},
		{"done/s", "changes that were written, from the first that was due until the last", false, func(s *Step) Value { return perSecond(s.Done) }},
		{"p50", "median " + due, false, func(s *Step) Value { return s.observed(s.P50) }},
		{"p99", "the same, its p99", false, func(s *Step) Value { return s.observed(s.P99) }},
		{"lost", "changes that were not written in time, or wrong", false, func(s *Step) Value {
			if !own(s.GaveOut) { // then nothing is held against it
				return whole(s.Lost)
			}
			return lost(s.Lost)
		}},
		{"accepted", "when the API server took a change, from when it was sent (p99)", false, func(s *Step) Value { return s.observed(s.Acknowledged) }},
		{"late", "how much later than it was due the harness sent a change (p99)", false, func(s *Step) Value { return s.observed(stat.Observation{Value: s.Late.Seconds()}) }},
		{"gave out", "what did, where the rate was not held", true, func(s *Step) Value { return Value{Text: s.GaveOut} }},
	}
}

// Climb is a style's way through a ramp in one round.
type Climb struct {
	Style, Scenario string
	Run             string
	Round           int
	Steps           []Step // in the order in which they were driven
	Held            int    // the highest rate that was; 0: none was
	// Differs says where another rate was driven than the recording asks for; empty: nowhere.
	Differs string
}

// limit is the step of the lowest rate that was not held; nil: all were.
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
	return limit == nil || !own(limit.GaveOut)
}

// Ramp is how a style went through a ramp, by round.
type Ramp struct {
	Style, Scenario string
	Climbs          []Climb
	Rank            Rank // among the styles of its scenario, by the rate that is held
}

// Held is the highest rate that was held, in changes a second, each round a replicate. A round in which it was not the
// style that gave out has a rate of at least so many, which may be more than those of other rounds or not: the median,
// and an end of its interval, is at least what it is if that is no more. One in which something else gave out at the
// lowest rate tells nothing, and is left out.
func (r *Ramp) Held() stat.Summary {
	held, _ := r.held()
	return held
}

// held has the least of the rounds, too.
func (r *Ramp) held() (held stat.Summary, least stat.Observation) {
	var exact, open []stat.Observation // of the rounds, if those in which others gave out hold no more, and if they hold any rate
	for i := range r.Climbs {
		if c := &r.Climbs[i]; c.Held > 0 || !c.open() {
			exact = append(exact, stat.Observation{Value: float64(c.Held)})
			open = append(open, stat.Observation{Value: float64(c.Held), Censored: c.open()})
		}
	}
	low, held := stat.Of(exact...), stat.Of(open...)
	if held.N == 0 {
		return held, least
	}
	least = between(low.Ordered.At(1), held.Ordered.At(1))
	held.P50, held.Max = between(low.P50, held.P50), between(low.Max, held.Max)
	if held.CI50 != nil {
		held.CI50 = &stat.Interval{Low: low.CI50.Low, High: between(low.CI50.High, held.CI50.High), Level: held.CI50.Level}
	}
	return held, least
}

// between is what lies between two bounds: at least the lower one, where they are not the same.
func between(low, high stat.Observation) stat.Observation {
	return stat.Observation{Value: low.Value, Censored: high.Censored || high.Value > low.Value}
}

// rate prints one; of 0, that it is less than the lowest that was tried.
func (r *Ramp) rate(o stat.Observation) string {
	if o.Value > 0 {
		return shown("1/s", o)
	}
	tried := plain.Flat(r.Climbs, func(c Climb) []int { return plain.Map(c.Steps, func(s Step) int { return s.Due }) })
	return fmt.Sprintf("< %d", slices.Min(tried))
}

// value is Held in a column. Of rounds that are too few for an interval it tells the least and the most.
func (r *Ramp) value() Value {
	held, least := r.held()
	v := Value{Run: r.Climbs[0].Run, Note: r.unknown()}
	if held.N == 0 {
		return v
	}
	v.Text, v.Number, v.Known, v.N, v.Rounds = r.rate(held.P50)+"/s", held.P50.Value, true, held.N, held.N
	v.Bound = held.P50.Censored || held.P50.Value == 0 // less than the lowest that was tried
	if held.CI50 == nil {
		v.Note = strings.TrimSuffix(bounds(nil, least, held.Max, r.rate)+v.Note, ", ")
	} else if held.CI50.Low != held.CI50.High {
		v.Low, v.High = r.rate(held.CI50.Low), r.rate(held.CI50.High)
	}
	return v
}

// unknown says of how many rounds nothing is known; empty: of none.
func (r *Ramp) unknown() string {
	all := len(r.Climbs)
	if n := all - r.Held().N; n > 0 {
		return fmt.Sprintf("not known in %d of %s", n, plain.Plural(all, "round"))
	}
	return ""
}

// GaveOut is what did at the lowest rate that was not held, in how many of the rounds.
func (r *Ramp) GaveOut() string {
	rounds := plain.Grouped(r.Climbs, func(c Climb) string {
		if limit := c.limit(); limit != nil {
			return limit.GaveOut
		}
		return "nothing"
	})
	if len(rounds.Keys) == 1 {
		return rounds.Keys[0]
	}
	return strings.Join(plain.Map(rounds.Keys, func(what string) string {
		return fmt.Sprintf("%s (%d of %d)", what, len(rounds.Of[what]), len(r.Climbs))
	}), ", ")
}

// Text says in a sentence what the style holds, and what there is above.
func (r *Ramp) Text() string {
	held, least := r.held()
	at := slices.IndexFunc(r.Climbs, func(c Climb) bool { return held.N > 0 && float64(c.Held) == held.P50.Value })
	one := &r.Climbs[max(at, 0)]
	text := fmt.Sprintf("holds %s a second", plain.Plural(one.Held, "change"))
	switch {
	case held.N == 0:
		text = "holds a rate that is not known"
	case one.Held == 0:
		text = "holds no rate that was tried"
	}
	if len(r.Climbs) > 1 && held.N > 0 {
		from := bounds(held.CI50, least, held.Max, r.rate) + plain.Plural(held.N, "round")
		text += " (" + strings.TrimSuffix(from+", "+r.unknown(), ", ") + ")"
	}
	limit := one.limit()
	switch {
	case limit == nil:
		return text + ", the most that was tried; nothing lost"
	case own(limit.GaveOut):
		text += fmt.Sprintf("; at %d %s", limit.Due, limit.Fails())
	default:
		text += fmt.Sprintf("; at %d the %s gave out, not the style: %s", limit.Due, limit.GaveOut, limit.Fails())
	}
	if strain := strainText(limit.Strain, limit.client); strain != "" {
		text += "; " + strain
	}
	return text
}

// rankRamps ranks the styles of each scenario that have rounds enough, but the floor, by the rate that they hold: one is
// before another if stat.Apart tells what the one held from that at which the other failed, since rates between were not
// tried. Of a style that may hold more in some round nobody can say that it holds less.
func rankRamps(ramps []Ramp) {
	var ranked plain.Groups[string, *Ramp] // by scenario
	for i := range ramps {
		if r := &ramps[i]; r.Style != spec.Floor && r.Held().N >= stat.RankedRounds {
			ranked.Add(r.Scenario, r)
		}
	}
	for _, all := range ranked.Of {
		slices.SortStableFunc(all, func(a, b *Ramp) int { return cmp.Compare(b.Held().P50.Value, a.Held().P50.Value) })
		places := places(plain.Map(all, func(r *Ramp) string { return r.Style }), func(i, k int) float64 {
			failed, open := all[k].failed()
			if open {
				return 1
			}
			p, _ := stat.Apart(failed, all[i].Held().Replicates)
			return p
		})
		for _, r := range all {
			r.Rank = places[r.Style]
		}
	}
}

// failed are the lowest rates that were not held, by round; open: in one it was not the style that gave out.
func (r *Ramp) failed() (rates stat.Replicates, open bool) {
	for i := range r.Climbs {
		c := &r.Climbs[i]
		if c.open() {
			return nil, true
		}
		rates = append(rates, []stat.Observation{{Value: float64(c.limit().Due)}})
	}
	return rates, false
}

// Ramps are those that were driven, by run, by scenario, then in the order of the styles.
func (r *Set) Ramps() []Ramp { return plain.Flat(r.Tables(), (*Set).ramps) }

func (r *Set) ramps() []Ramp {
	var ramps []Ramp
	floors := map[string]*Ramp{} // by scenario
	climbs := plain.Grouped(append(r.climbs(), r.climbed...), func(c Climb) key { return key{c.Style, c.Scenario} })
	slices.SortStableFunc(climbs.Keys, r.compare)
	for _, k := range climbs.Keys { // the floor is the first of the styles
		one := Ramp{Style: k.label, Scenario: k.scenario, Climbs: climbs.Of[k]}
		slices.SortFunc(one.Climbs, func(a, b Climb) int { return cmp.Compare(a.Round, b.Round) })
		for i := range one.Climbs {
			r.explain(&one.Climbs[i], k, floors[k.scenario])
		}
		if ramps = append(ramps, one); k.label == spec.Floor {
			floors[k.scenario] = &one
		}
	}
	rankRamps(ramps)
	return ramps
}

// climbs are those that the samples tell of.
func (r *Set) climbs() []Climb {
	var climbs []Climb
	cells := r.samplesByCell(func(s *judge.Sample) bool { return s.Rate > 0 && !s.Warmup })
	for _, k := range cells.Keys {
		rounds := byRound(cells.Of[k])
		for _, at := range rounds.Keys {
			if ramp := r.ramp(at.Run, k.scenario); ramp != nil {
				climb := climbOf(*ramp, rounds.Of[at])
				climb.Style, climb.Scenario, climb.Run, climb.Round = k.label, k.scenario, at.Run, at.Block
				climbs = append(climbs, climb)
			}
		}
	}
	return climbs
}

// explain says what gave out in each step of a style's round: beside the floor's, if there is one, which has no operator,
// so that there it was the machine.
func (r *Set) explain(climb *Climb, of key, floor *Ramp) {
	var beside *Climb
	if floor != nil {
		if i := slices.IndexFunc(floor.Climbs, func(c Climb) bool { return c.Run == climb.Run && c.Round == climb.Round }); i >= 0 {
			beside = &floor.Climbs[i]
		}
	}
	ramp := r.ramp(climb.Run, of.scenario)
	for i := range climb.Steps {
		s := &climb.Steps[i]
		if ramp != nil {
			s.ramp = *ramp // a published run's steps have none
		}
		s.Style, s.Round, s.client = of.label, climb.Round, r.clientLimit(of.label)
		s.Strain = r.strain(of.label, of.scenario, s.Due, climb.Run, climb.Round)
		if s.GaveOut = s.gaveOut(beside); of.label == spec.Floor && own(s.GaveOut) {
			s.GaveOut = GaveMachine
		}
	}
}

// isRamp reports whether a scenario is a ramp in some run.
func (r *Set) isRamp(scenario string) bool {
	return r.ramp("", scenario) != nil
}

// ramp is that of a run's scenario, of an empty run any; nil: no recording has one.
func (r *Set) ramp(run, scenario string) *spec.Ramp {
	for i := range r.Parts {
		header := &r.Parts[i].Header
		for _, s := range header.Scenarios {
			if (run == "" || header.Run == run) && s.Name == scenario && s.Ramp != nil {
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

// HeldColumns are the figures of a style in a ramp, over its rounds.
func HeldColumns() []ColumnOf[*Ramp] {
	return []ColumnOf[*Ramp]{
		{"style", "", true, func(r *Ramp) Value { return Value{Text: r.Style} }},
		{"rounds", "", false, func(r *Ramp) Value { return whole(len(r.Climbs)) }},
		{"held", "the highest rate that was held, in changes a second: the median over rounds with its 95% interval, or of fewer rounds than six from the least to the most; " +
			"\"≥\": it may be more, as something else gave out or nothing did", false, (*Ramp).value},
		{"rank", "by the rate held; a style is ahead of another if the rates that it held are higher than those at which the other failed (Welch's t-test on the logarithms of the rounds', " +
			"Holm's correction over all pairs); " + plain.Unknown + ": the floor, or fewer than three rounds", false, func(r *Ramp) Value { return r.Rank.value() }},
		{"gave out", "what did at the lowest rate that was not held", true, func(r *Ramp) Value { return Value{Text: r.GaveOut()} }},
	}
}

// heldValue is the column's, of a style in a ramp.
func heldValue(ramps []Ramp, scenario, label string) Value {
	for i := range ramps {
		if r := &ramps[i]; r.Scenario == scenario && r.Style == label {
			return r.value()
		}
	}
	return Value{}
}
