package run

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/report"
	"operatorbench/fixtures/scenarios"
)

// contest is the comparison of one style: base, base again and head.
type contest struct {
	style string
	arms  []*arm
	// rounds is how many of them the budget has time for, and passes how often a
	// block goes through the scenarios from the second one on.
	rounds, passes int
	settled        bool
	open           []string // what cannot be told yet
}

// head is the arm that is judged.
func (c *contest) head() *arm { return c.arms[len(c.arms)-1] }

// failed is why it cannot be driven any further; nil: it can.
func (c *contest) failed() error {
	for _, a := range c.arms {
		if a.err != nil {
			return fmt.Errorf("%s: %w", a.label(), a.err)
		}
	}
	return nil
}

// round is how long one round of it is expected to take: what its blocks have
// taken, with as many passes as the next ones have.
func (c *contest) round() time.Duration {
	var all time.Duration
	for _, a := range c.arms {
		all += a.fixed + time.Duration(c.passes)*a.pass
	}
	return all
}

// mostFixed is the share of a block that installing, warming up and removing may
// take; and mostPasses bounds what is then made of an odd first block.
const (
	mostFixed  = 0.25
	mostPasses = 10
)

// spread is how often a block goes through the scenarios, so that what it takes
// beside them is no more than a share of it.
func spread(fixed, pass time.Duration) int {
	if pass <= 0 {
		return 1
	}
	return int(min(max((float64(fixed)*(1-mostFixed)/mostFixed+float64(pass)-1)/float64(pass), 1), mostPasses))
}

// contests are the styles that are compared.
func (s *Session) contests() []*contest {
	var all []*contest
	for _, a := range s.arms[1:] {
		if len(all) == 0 || all[len(all)-1].style != a.name() {
			all = append(all, &contest{style: a.name()})
		}
		last := all[len(all)-1]
		last.arms = append(last.arms, a)
	}
	for _, c := range all {
		c.passes = s.passes(c.head())
	}
	return all
}

// comparison is what the environment says of a comparison with a base, so far.
func (s *Session) comparison() *report.Comparison {
	if s.base == nil {
		return nil
	}
	c := &report.Comparison{
		Asked: s.options.Base, Base: s.base.commit, Command: s.options.command(s.base.commit), Link: s.options.Link,
		Budget: s.options.Budget.Seconds(), Gone: s.base.gone, New: s.base.added,
	}
	for _, group := range scenarios.Groups() {
		if slices.ContainsFunc(s.scenarios, func(scenario scenarios.Scenario) bool { return scenario.Group == group }) {
			c.Groups = append(c.Groups, group)
		} else {
			c.Undriven = append(c.Undriven, report.Undriven{Group: group, Why: "not asked for: --scenario=" + s.options.scenario()})
		}
	}
	return c
}

// foretellComparison says how long a comparison may take.
func (s *Session) foretellComparison() string {
	var names []string
	for _, c := range s.contests() {
		one, source := s.history.round(c), "as the last one took on this machine"
		if one == 0 {
			source = "by what its style.yaml says"
			for _, a := range c.arms {
				one += s.cost(a).Round
			}
		}
		names = append(names, fmt.Sprintf("%s (a round about %v, %s)", c.style, one.Round(time.Second), source))
	}
	rounds := "until all is settled"
	if s.options.Rounds > 0 {
		rounds = fmt.Sprintf("for at most %d rounds, or until all is settled", s.options.Rounds)
	}
	return fmt.Sprintf("%s is compared with %s (%.12s): base, base again and head take turns in random order %s, for up to %v (--budget); cluster, images and clean-up come on top",
		strings.Join(names, ", "), s.options.Base, s.base.commit, rounds, s.options.Budget)
}

// driveComparison lets base, base again and head of each style take turns until
// the gate knows what to say of it, or the budget is spent. A first round tells
// how long the others take. Correctness comes next, as far as there is time for
// it; then as many rounds are planned as the rest of the budget holds, and after
// each of them the gate takes a look. Errors are as those of Drive.
func (s *Session) driveComparison(ctx context.Context) (err error) {
	s.options.Budget = min(s.options.Budget, s.remains())
	s.plan.Rounds = map[string]int{}
	began := time.Now()
	spent := func() time.Duration { return time.Since(began) }
	defer func() { s.environment.Comparison.Driven = spent().Seconds() }()
	all := s.contests()
	for _, c := range all {
		c.rounds = 1
	}
	if len(s.measured())+len(s.loads()) > 0 {
		if err := s.round(ctx, 1, all); err != nil {
			return err
		}
	}
	s.choosePasses(all)
	if err := s.correctness(ctx, all, 1, func() time.Duration { return s.options.Budget - spent() }); err != nil {
		return err
	}
	s.planRounds(all, s.options.Budget-spent())
	if err := s.environment.Write(s.folder); err != nil { // the gate reads there what was planned
		return err
	}
	if err := s.look(all, 1, spent()); err != nil {
		return err
	}
	if err := s.repeat(ctx, all, func() time.Duration { return s.options.Budget - spent() }); err != nil {
		return err
	}
	for round := 2; ; round++ {
		next := slices.DeleteFunc(slices.Clone(all), func(c *contest) bool {
			return c.settled || c.rounds < round || c.failed() != nil
		})
		if len(next) == 0 || spent()+sum(next, (*contest).round) > s.options.Budget {
			break
		}
		if err := s.round(ctx, round, next); err != nil {
			return err
		}
		if err := s.look(all, round, spent()); err != nil {
			return err
		}
	}
	s.progress.Clear()
	s.say("%s", s.sumUp(all, spent()))
	return s.collector()
}

func sum(all []*contest, of func(*contest) time.Duration) time.Duration {
	var total time.Duration
	for _, c := range all {
		total += of(c)
	}
	return total
}

// round lets the arms of some contests take their turns, the floor among them.
func (s *Session) round(ctx context.Context, round int, some []*contest) error {
	arms := []*arm{s.arms[0]}
	for _, c := range some {
		arms = append(arms, c.arms...)
		for _, a := range c.arms {
			a.passes = c.passes
			s.plan.Rounds[a.label()] = c.rounds
		}
	}
	if len(s.measured()) > 0 {
		for _, a := range order(arms, s.options.Seed, round) {
			if a.err != nil {
				continue
			}
			if err := s.guarded(ctx, a, func() error { return s.block(ctx, a, round) }); err != nil {
				return err
			}
		}
	}
	for _, load := range s.loads() {
		for _, a := range order(arms[1:], s.options.Seed, round) {
			if a.err != nil {
				continue
			}
			if err := s.guarded(ctx, a, func() error { return s.crowd(ctx, a, round, load) }); err != nil {
				return err
			}
		}
	}
	for _, c := range some {
		s.lost(c)
	}
	return nil
}

// lost notes a head that cannot be driven where its base can: that is no failure
// of the comparison, it is its result.
func (s *Session) lost(c *contest) {
	head := c.head()
	if head.err == nil || slices.ContainsFunc(c.arms, func(a *arm) bool { return a != head && a.err != nil }) {
		return
	}
	gone := report.Gone{Style: c.style, Why: "head could not be driven to its end, as base was: " + head.err.Error()}
	if !slices.Contains(s.environment.Comparison.Gone, gone) {
		s.environment.Comparison.Gone = append(s.environment.Comparison.Gone, gone)
	}
}

// choosePasses looks where the time of the first round's blocks went, and
// chooses by it how often the later ones go through the scenarios.
func (s *Session) choosePasses(all []*contest) {
	if len(s.measured()) == 0 {
		return
	}
	for _, c := range all {
		if c.failed() != nil {
			continue
		}
		var fixed, pass time.Duration
		for _, a := range c.arms {
			fixed += a.fixed / time.Duration(len(c.arms))
			pass += a.pass / time.Duration(len(c.arms))
		}
		if s.options.Passes == 0 {
			c.passes = spread(fixed, pass)
		}
		s.progress.Clear()
		s.say("%s: a block takes %.1f s to install, warm up and remove, and %.1f s for each pass through the scenarios: from now on %d passes, %.0f%% of the time is measured",
			c.style, fixed.Seconds(), pass.Seconds(), c.passes, 100*float64(pass)*float64(c.passes)/float64(fixed+time.Duration(c.passes)*pass))
	}
}

// margin is what planning keeps: rounds are never all as quick as the first.
const margin = 0.05

// planRounds fixes how many rounds of each style the rest of the budget holds,
// the first one included: the gate shares its error probabilities out over them.
func (s *Session) planRounds(all []*contest, left time.Duration) {
	most := s.options.Rounds
	if most == 0 {
		most = 1000 // the budget decides
	}
	var costs []Cost
	for _, c := range all {
		if c.failed() == nil {
			costs = append(costs, Cost{Style: c.style, Wanted: most - 1, Round: max(c.round(), time.Second)})
		}
	}
	plan := NewPlan(max(time.Duration(float64(left)*(1-margin)), 1), costs)
	s.environment.Planned = map[string]int{}
	for _, c := range all {
		c.rounds = 1 + min(plan.Rounds[c.style], most-1)
		s.environment.Planned[c.style] = c.rounds
		s.progress.Clear()
		s.say("%s: the budget holds %s of about %v", c.style, plural(c.rounds, "round"), c.round().Round(time.Second))
	}
}

// look asks the gate what it can say by now, and tells it.
func (s *Session) look(all []*contest, round int, spent time.Duration) error {
	recording, err := report.Load(s.folder)
	if err != nil {
		return fmt.Errorf("take a look at what was recorded so far: %w", err)
	}
	options := gate.DefaultOptions()
	options.Planned = s.environment.Planned
	progress, err := gate.Look(options, recording)
	if err != nil {
		return fmt.Errorf("take a look at what was recorded so far: %w", err)
	}
	s.progress.Clear()
	for _, c := range all {
		i := slices.IndexFunc(progress.Styles, func(p gate.StyleProgress) bool { return p.Style == c.style })
		if i < 0 || c.settled {
			continue
		}
		p := progress.Styles[i]
		c.settled, c.open = p.Settled, p.Open
		settled, gated := 0, 0
		for _, m := range progress.Metrics {
			if m.Style == c.style {
				gated++
				if m.Settled {
					settled++
				}
			}
		}
		line := fmt.Sprintf("look %d/%d, %v of %v: %s: %d of %d settled", round, c.rounds, spent.Round(time.Second), s.options.Budget, c.style, settled, gated)
		switch {
		case p.Settled:
			line += ": " + string(p.Verdict)
		case len(p.Open) > 0:
			line += "; open: " + most(p.Open)
		}
		s.say("%s", line)
	}
	return nil
}

// sumUp says why the driving ended.
func (s *Session) sumUp(all []*contest, spent time.Duration) string {
	var open []string
	for _, c := range all {
		if err := c.failed(); err != nil {
			open = append(open, err.Error())
		} else if !c.settled {
			open = append(open, c.style)
		}
	}
	if len(open) == 0 {
		return fmt.Sprintf("all is settled after %v", spent.Round(time.Second))
	}
	return fmt.Sprintf("the driving ends after %v of %v (--budget); not settled: %s", spent.Round(time.Second), s.options.Budget, strings.Join(open, ", "))
}

// correctness drives base and head of each style through the scenarios of the
// correctness matrix, once: as many of its groups as there is time for.
func (s *Session) correctness(ctx context.Context, all []*contest, round int, left func() time.Duration) error {
	for _, c := range all {
		list := s.matrix()
		for len(list) > 0 && c.failed() == nil {
			if takes := s.typicalMatrix(c, list); takes > left() {
				group := list[len(list)-1].Group
				s.leaveOut(report.Undriven{Group: group, Style: c.style, Why: fmt.Sprintf("it may take %v, and %v of the budget were left: give a larger --budget",
					takes.Round(time.Minute), max(left(), 0).Round(time.Minute))})
				list = slices.DeleteFunc(list, func(scenario scenarios.Scenario) bool { return scenario.Group == group })
				continue
			}
			if err := s.matrixOf(ctx, c, list, round); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// leaveOut notes what is not driven, and says it.
func (s *Session) leaveOut(u report.Undriven) {
	s.environment.Comparison.Undriven = append(s.environment.Comparison.Undriven, u)
	s.progress.Clear()
	s.say("%s: the scenarios of the group %s are not driven: %s", u.Style, u.Group, u.Why)
}

// sides are the arms that correctness is compared of: base once.
func (c *contest) sides() []*arm {
	return slices.DeleteFunc(slices.Clone(c.arms), func(a *arm) bool { return a.variant == VariantAgain })
}

func (s *Session) typicalMatrix(c *contest, list []scenarios.Scenario) time.Duration {
	var all time.Duration
	for _, a := range c.sides() {
		for _, w := range wavesOf(a, list, 1) {
			all += w.typical(s.options.Patience, overlap(runtime.NumCPU(), s.options.Shard))
		}
	}
	return all
}

// matrixOf drives both sides of a style through scenarios of the matrix, in
// random order.
func (s *Session) matrixOf(ctx context.Context, c *contest, list []scenarios.Scenario, round int) error {
	for _, a := range order(c.sides(), s.options.Seed, -round) {
		for _, w := range wavesOf(a, list, 1) {
			if a.err != nil {
				continue
			}
			s.progress.Clear()
			s.say("matrix %d: %s: %s", round, a.label(), few(namesOf(w.scenarios), "scenarios"))
			if err := s.guarded(ctx, a, func() error { return s.wave(ctx, w, round) }); err != nil {
				return err
			}
		}
	}
	s.lost(c)
	return nil
}

// mostRepeats is how often a scenario is driven that differs: of six to six,
// Fisher's exact test tells apart what always passes and what fails in four.
const mostRepeats = 6

// repeat drives again those scenarios of the matrix of which one time is too
// little to tell, until it is not.
func (s *Session) repeat(ctx context.Context, all []*contest, left func() time.Duration) error {
	for round := 2; round <= mostRepeats; round++ {
		again := false
		for _, c := range all {
			list := slices.DeleteFunc(s.matrix(), func(scenario scenarios.Scenario) bool {
				return !slices.Contains(c.open, c.style+" "+scenario.Name)
			})
			if len(list) == 0 || c.settled || c.failed() != nil || s.typicalMatrix(c, list) > left() {
				continue
			}
			again = true
			if err := s.matrixOf(ctx, c, list, round); err != nil {
				return err
			}
		}
		if !again {
			return nil
		}
		if err := s.look(all, 1, s.options.Budget-left()); err != nil {
			return err
		}
	}
	return nil
}

// Lost is what the base has and head has not. It is the result where there is
// nothing to drive.
func (s *Session) Lost() []report.Gone { return s.base.gone }

// Drivable tells whether there is any style to compare.
func (s *Session) Drivable() bool { return len(s.arms) > 1 }

// command repeats a comparison: with the commit, and with what was asked for
// otherwise than by default.
func (o *Options) command(commit string) string {
	var defaults Options
	defaults.defaults()
	is, was := o.values(), defaults.values()
	words := []string{"go run ./e2e/cmd/opbench run", "--base=" + commit}
	for _, name := range []string{"operator", "scenario", "rounds", "passes", "budget", "quiescence", "usage"} {
		if name == "scenario" && o.Scenario == "" {
			continue
		}
		if is[name] != was[name] {
			words = append(words, fmt.Sprintf("--%s=%s", name, is[name]))
		}
	}
	return strings.Join(words, " ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
