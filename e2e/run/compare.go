package run

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/profiles"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// comparison is the comparison of one style: base, base again and head.
type comparison struct {
	style        string
	participants []*participant
	// rounds is how many of them the budget has time for, and passes how often a
	// block goes through the scenarios; 0: its first block is still to decide that.
	rounds, passes int
	loads          int // in how many rounds there are loads, from the first on
	settled        bool
	open           []string // what cannot be told yet
}

// base is the participant that is compared with.
func (c *comparison) base() *participant { return c.participants[0] }

// head is the participant that is judged.
func (c *comparison) head() *participant { return c.participants[len(c.participants)-1] }

// failed is why it cannot be driven any further; nil: it can.
func (c *comparison) failed() error {
	for _, p := range c.participants {
		if p.err != nil {
			return fmt.Errorf("%s: %w", p.label(), p.err)
		}
	}
	return nil
}

// lost reports whether head alone cannot be driven.
func (c *comparison) lost() bool {
	return c.head().err != nil && !slices.ContainsFunc(c.participants, func(p *participant) bool { return p != c.head() && p.err != nil })
}

// round is how long one round of it is expected to take: what its blocks have
// taken, with as many passes as the next ones have.
func (c *comparison) round() time.Duration {
	return plain.Sum(c.participants, func(p *participant) time.Duration { return p.fixed + time.Duration(c.passes)*p.pass })
}

// paced is called when a block has gone through the scenarios once: what that took, and what the block takes besides.
func (s *Session) paced() (fixed, pass time.Duration) {
	before := s.measuring.Sub(s.installing)
	return before + min(before, typicalUninstall), time.Since(s.measuring) // to remove a style takes no longer
}

// choosePasses is called when the first block of a style has gone through the scenarios once: what that took, and what
// came before it, tells how often there is time for. All of its blocks in the first round do the same.
func (s *Session) choosePasses(c *comparison) int {
	fixed, pass := s.paced()
	c.passes = s.options.Passes
	if c.passes == 0 {
		c.passes = gate.Passes(s.options.Budget/time.Duration(3*len(s.comparisons)), fixed, pass, s.options.Rounds)
	}
	s.say("%s: a block takes %.1f s to install and warm up, and %.1f s for each pass through the scenarios: %s in each block",
		c.style, s.measuring.Sub(s.installing).Seconds(), pass.Seconds(), plain.Plural(c.passes, "pass", "passes"))
	return c.passes
}

// most is how many rounds there are at most.
func (j *job) most() int {
	if j.options.Rounds > 0 {
		return j.options.Rounds
	}
	return gate.MostRounds
}

// quicken adds the quick scenarios to those of a comparison, and warms up with one, and,
// if the profile has them, the repeated ones.
func (j *job) quicken() {
	if down := slices.IndexFunc(j.scenarios, func(scenario scenarios.Scenario) bool { return scenario.Name == "scale-down" }); down > 0 && j.options.profile().Again {
		j.scenarios = slices.Insert(j.scenarios, down+1, again(j.scenarios[down-1], j.scenarios[down])...)
	}
	more := quick(j.scenarios)
	if len(more) == 0 {
		return
	}
	if _, why := more[0].For(&j.workload.Workload); why != "" {
		return // no custom resource of size 0
	}
	j.warmup = more[:1]
	last := slices.IndexFunc(j.scenarios, func(scenario scenarios.Scenario) bool { return scenario.Name == "delete" })
	j.scenarios = slices.Insert(j.scenarios, last+1, more...)
}

// quick are the measured scenarios whose question needs no pods, with a custom resource of size 0: one takes a fifth of
// the time, so that there are more samples of when the operator has written. The gate counts them as the others'.
func quick(list []scenarios.Scenario) []scenarios.Scenario {
	var more []scenarios.Scenario
	for _, scenario := range list {
		switch scenario.Name {
		case "create":
			scenario.Steps = []scenarios.Step{{Create: &scenarios.Spec{}}}
		case "delete":
			scenario.Given = &scenarios.Spec{}
		default:
			continue
		}
		scenario.Name += gate.Quick
		scenario.Description += " With size 0, which takes no pods; only where a base is compared."
		more = append(more, scenario)
	}
	if len(more) < 2 {
		return nil // what one makes the other removes
	}
	return more
}

// again are scenarios that a pass goes through a second time: what resizing takes scatters the most, and takes the
// least time. Where the second one began it ends again, and there the first one begins now, so that nothing has to be
// prepared. The gate counts them as the others'.
func again(up, down scenarios.Scenario) []scenarios.Scenario {
	if up.Result() == nil || down.Given == nil || *up.Result() != *down.Given {
		return nil
	}
	up.Given, up.Steps = down.Result(), []scenarios.Step{{Patch: down.Given}}
	more := []scenarios.Scenario{up, down}
	for i := range more {
		more[i].Name += gate.Again
		more[i].Description += " A second time; only where a base is compared."
	}
	return more
}

// contest adds a comparison of a style with its base, and its three participants.
func (j *job) contest(was, head *styles.Style) {
	c := &comparison{style: head.Name, participants: []*participant{
		{operator: was, variant: gate.VariantBase}, {operator: was, variant: gate.VariantAgain}, {operator: head, variant: gate.VariantHead},
	}}
	for _, p := range c.participants {
		p.asked, p.comparison, p.cluster = p.operator, c, j.options.Cluster
	}
	if before, after := was.Timeout, head.Timeout; before != after {
		j.remark(fmt.Sprintf("%s: head's style.yaml sets the timeout to %v, and base's to %v: both sides are driven with base's", c.style, after, before))
	}
	j.comparisons = append(j.comparisons, c)
	j.participants = append(j.participants, c.participants...)
}

// comparison is what the environment says of a comparison with a base, so far.
func (j *job) recordedComparison() *record.Comparison {
	if j.base == nil {
		return nil
	}
	c := &record.Comparison{
		Asked: j.options.Base, Base: j.base.commit, Command: j.options.command(j.base.commit), Link: j.options.Link,
		Profile: cmp.Or(j.options.Profile, profiles.Standard), Effect: j.options.profile().Effect,
		Budget: j.options.Budget.Seconds(), Gone: j.base.gone, New: j.base.added,
	}
	for _, group := range spec.Groups() {
		if slices.ContainsFunc(j.scenarios, func(scenario scenarios.Scenario) bool { return scenario.Group == group }) {
			c.Groups = append(c.Groups, group)
		} else {
			c.Undriven = append(c.Undriven, record.Undriven{Group: group, Why: "not asked for: --scenario=" + j.options.scenario()})
		}
	}
	return c
}

// gateRun plans a comparison with a base.
type gateRun struct{ *Session }

// planned lets base, base again and head of each style take turns until the gate knows what to say of it, or the budget
// is spent. A first round tells how many there is time for; after each one the gate takes a look. Loads and correctness
// come on top of the budget.
func (g gateRun) planned(take func(turn) error) error {
	g.options.Budget = min(g.options.Budget, g.remains())
	var spent time.Duration
	drive := func(round int, some []*comparison) error {
		err := timed(&spent, func() error { return g.round(take, round, some) })
		g.facts.Comparison.Driven = spent.Seconds()
		return err
	}
	for _, c := range g.comparisons {
		c.rounds = 1
	}
	if err := drive(1, g.comparisons); err != nil {
		return err
	}
	g.planRounds(g.options.Budget - spent)
	if err := g.planLoads(func() error { return g.burst(take, 1, g.comparisons) }); err != nil {
		return err
	}
	if err := g.writeFacts(); err != nil { // the gate reads there what was planned
		return err
	}
	if err := g.correctness(take); err != nil {
		return err
	}
	for round := 2; ; round++ {
		if err := g.look(round-1, spent); err != nil {
			return err
		}
		if round == 2 {
			if err := g.repeat(take, spent); err != nil {
				return err
			}
		}
		next := slices.DeleteFunc(slices.Clone(g.comparisons), func(c *comparison) bool {
			return c.settled || c.rounds < round || c.failed() != nil
		})
		if len(next) == 0 || spent+plain.Sum(next, (*comparison).round) > g.options.Budget {
			break
		}
		if err := drive(round, next); err != nil {
			return err
		}
		if err := g.burst(take, round, next); err != nil {
			return err
		}
	}
	g.say("%s", g.sumUp(spent))
	return nil
}

// round lets the participants of some comparisons take their turns. The floor has one in the
// first round alone: it tells of the machine, and nothing is compared with it.
func (g gateRun) round(take func(turn) error, round int, some []*comparison) error {
	var participants []*participant
	if floor := g.floor(); round == 1 && floor != nil {
		participants = append(participants, floor)
	}
	participants = append(participants, plain.Flat(some, func(c *comparison) []*participant { return c.participants })...)
	if len(g.measured()) == 0 {
		participants = nil
	}
	return g.each(take, some, round, participants, func(p *participant) turn {
		t, c := g.roundTurn(p, round, round), p.comparison
		if c != nil {
			t.of = c.rounds
		}
		if c != nil && c.passes == 0 {
			t.plan.Choose = func() int { return g.choosePasses(c) }
		}
		return t
	})
}

// each hands out a turn of each participant that can be driven, in the random order of a round, and notes which heads
// are lost.
func (g gateRun) each(take func(turn) error, some []*comparison, round int, participants []*participant, of func(*participant) turn) error {
	for _, p := range order(participants, g.options.Seed, round) {
		if p.err != nil {
			continue
		}
		if err := take(of(p)); err != nil {
			return err
		}
	}
	for _, c := range some {
		g.lost(c)
	}
	return nil
}

// lost notes a head that cannot be driven where its base can: that is no failure of the comparison, it is its result.
func (g gateRun) lost(c *comparison) {
	if !c.lost() {
		return
	}
	gone := record.Gone{Style: c.style, Why: "head could not be installed, driven and removed, while base could: " + c.head().err.Error()}
	if !slices.Contains(g.facts.Comparison.Gone, gone) {
		g.facts.Comparison.Gone = append(g.facts.Comparison.Gone, gone)
	}
}

// margin is what planning keeps: rounds are never all as quick as the first.
const margin = 0.05

// planRounds fixes how many rounds of each style the rest of the budget holds,
// the first one included: the gate shares its error probabilities out over them.
// Its blocks know better than the first of them how many passes there is time for.
func (g gateRun) planRounds(left time.Duration) {
	left = time.Duration(float64(left) * (1 - margin))
	for _, c := range g.comparisons {
		c.rounds = 1 // the first
		if c.failed() == nil {
			c.passes = g.options.Passes
			if c.passes == 0 {
				n := time.Duration(len(c.participants))
				c.passes = gate.Passes(left/time.Duration(3*len(g.comparisons)), plain.Sum(c.participants, func(p *participant) time.Duration { return p.fixed })/n,
					plain.Sum(c.participants, func(p *participant) time.Duration { return p.pass })/n, max(g.options.Rounds-1, min(g.options.Rounds, 1)))
			}
		}
	}
	// A further round each in turn, the quickest first, as long as they fit.
	quickest := slices.SortedStableFunc(slices.Values(g.comparisons), func(a, b *comparison) int { return cmp.Compare(a.round(), b.round()) })
	for fits := true; fits; {
		fits = false
		for _, c := range quickest {
			if takes := max(c.round(), time.Second); c.failed() == nil && c.rounds < g.most() && takes <= left {
				c.rounds, left, fits = c.rounds+1, left-takes, true
			}
		}
	}
	g.facts.Planned = map[string]int{}
	for _, c := range g.comparisons {
		g.facts.Planned[c.style] = c.rounds
		g.say("%s: the budget holds %s of about %v, with %s in each block%s", c.style, plain.Plural(c.rounds, "round"), c.round().Round(time.Second), plain.Plural(c.passes, "pass", "passes"), g.tooFew(c))
	}
}

// enoughRounds are those from which on everything that is gated can be told.
const enoughRounds = gate.DefaultSlowRounds

// tooFew warns where a budget, which all comparisons share, or --rounds allows too few rounds.
func (g gateRun) tooFew(c *comparison) string {
	if c.rounds >= enoughRounds {
		return ""
	}
	all := plain.Sum(g.comparisons, func(c *comparison) time.Duration {
		if c.failed() != nil {
			return 0
		}
		return c.round()
	})
	budget := fmt.Sprintf("--budget=%v allows %d", (enoughRounds*all*21/20).Round(time.Minute)+time.Minute, enoughRounds)
	if g.most() < enoughRounds {
		budget = fmt.Sprintf("--rounds=%d with %s", enoughRounds, budget)
	}
	return ", which is too few to decide: " + budget
}

// look asks the gate what it can say by now, and tells it.
func (g gateRun) look(round int, spent time.Duration) error {
	recording, err := g.soFar()
	if err != nil {
		return fmt.Errorf("take a look at what was recorded so far: %w", err)
	}
	options := gate.DefaultOptions()
	options.Planned, options.Effect = g.facts.Planned, g.options.profile().Effect
	progress, err := gate.Look(options, recording)
	if err != nil {
		return fmt.Errorf("take a look at what was recorded so far: %w", err)
	}
	g.progress.Clear()
	for _, c := range g.comparisons {
		p, known := plain.Find(progress, func(p gate.StyleProgress) bool { return p.Style == c.style })
		if !known || c.settled {
			continue
		}
		c.settled, c.open = p.Settled, p.Open
		line := fmt.Sprintf("look %d/%d, %v of %v: %s: %d of %d settled", round, c.rounds, spent.Round(time.Second), g.options.Budget, c.style, p.Gated-len(p.Open), p.Gated)
		switch {
		case p.Settled:
			line += ": " + string(p.Verdict)
		case len(p.Open) > 0:
			line += "; open: " + plain.Some(p.Open, mostNamed)
		}
		g.say("%s", line)
	}
	return nil
}

// sumUp says why the driving ended.
func (g gateRun) sumUp(spent time.Duration) string {
	var open []string
	for _, c := range g.comparisons {
		if err := c.failed(); err != nil {
			open = append(open, err.Error())
		} else if !c.settled {
			open = append(open, c.style)
		}
	}
	if len(open) == 0 {
		return fmt.Sprintf("all is settled after %v", spent.Round(time.Second))
	}
	return fmt.Sprintf("the driving ends after %v of %v (--budget); not settled: %s", spent.Round(time.Second), g.options.Budget, strings.Join(open, ", "))
}

// correctness drives base and head of each style through the scenarios of the correctness matrix, once: as many of its
// groups as take no longer than the budget, which they come on top of, or than the profile gives them.
func (g gateRun) correctness(take func(turn) error) error {
	for _, c := range g.comparisons {
		list := g.matrix()
		for len(list) > 0 && c.failed() == nil {
			if takes, most := g.typicalMatrix(c, list), max(g.options.Budget, g.options.profile().Matrix); takes > most {
				group := list[len(list)-1].Group
				g.leaveOut(record.Undriven{Group: group, Style: c.style, Why: fmt.Sprintf("it may take %v, more than the budget of %v: give a larger --budget",
					takes.Round(time.Minute), most)})
				list = slices.DeleteFunc(list, func(scenario scenarios.Scenario) bool { return scenario.Group == group })
				continue
			}
			if err := g.matrixOf(take, c, list, 1); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// leaveOut notes what is not driven, and says it.
func (g gateRun) leaveOut(u record.Undriven) {
	g.facts.Comparison.Undriven = append(g.facts.Comparison.Undriven, u)
	g.say("%s: the scenarios of the group %s are not driven: %s", u.Style, u.Group, u.Why)
}

// sides are the participants that correctness is compared of: base once.
func (c *comparison) sides() []*participant {
	return slices.DeleteFunc(slices.Clone(c.participants), func(p *participant) bool { return p.variant == gate.VariantAgain })
}

// matrixOf drives both sides of a style through scenarios of the matrix, in random order.
func (g gateRun) matrixOf(take func(turn) error, c *comparison, list []scenarios.Scenario, round int) error {
	for _, p := range order(c.sides(), g.options.Seed, -round) {
		for _, w := range wavesOf(p, list, 1, g.workload.AtOnce) {
			if p.err != nil {
				continue
			}
			t := w.in(round)
			t.say = fmt.Sprintf("matrix %d: %s: %s", round, p.label(), few(namesOf(w.plan.Scenarios), "scenarios"))
			if err := take(t); err != nil {
				return err
			}
		}
	}
	g.lost(c)
	return nil
}

// repeat drives again those scenarios of the matrix for which once is too little to tell, until it is not.
func (g gateRun) repeat(take func(turn) error, spent time.Duration) error {
	for round := 2; round <= gate.Repeats; round++ {
		again := false
		for _, c := range g.comparisons {
			list := slices.DeleteFunc(g.matrix(), func(scenario scenarios.Scenario) bool {
				return !slices.Contains(c.open, c.style+" "+scenario.Name)
			})
			if len(list) == 0 || c.settled || c.failed() != nil {
				continue
			}
			again = true
			if err := g.matrixOf(take, c, list, round); err != nil {
				return err
			}
		}
		if !again {
			return nil
		}
		if err := g.look(1, spent); err != nil {
			return err
		}
	}
	return nil
}

// Drivable reports whether there is any style to compare. Without one, the result is what head has lost; see
// RecordLost.
func (j *job) Drivable() bool { return len(j.comparisons) > 0 }

// command repeats a comparison: with the commit, and with what was asked for otherwise than by default.
func (o *Options) command(commit string) string {
	var defaults Options
	defaults.Register(flag.NewFlagSet("", flag.ContinueOnError))
	is, was := o.values(), defaults.values()
	words := []string{o.program() + " run", "--base=" + commit}
	for _, name := range []string{"operator", "scenario", "profile", "rounds", "passes", "budget", "quiescence", "usage"} {
		if name == "scenario" && o.Scenario == "" {
			continue
		}
		if is[name] != was[name] && (name != "budget" || o.Budget != o.profile().Budget) {
			words = append(words, fmt.Sprintf("--%s=%s", name, is[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Given)) {
		words = append(words, "--image="+name+"="+o.Given[name])
	}
	for _, source := range o.Sources {
		words = append(words, "--source="+source.String())
	}
	if o.Unchanged {
		words = append(words, "--unchanged")
	}
	return strings.Join(words, " ")
}
