package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/profiles"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// schedule fits what is driven into the time that there is.
type schedule struct {
	*job
	deadline time.Time // of go test's -timeout; zero: none
	made     bool      // the test environment
	plan     Plan
	dropped  []string // scenarios for which there is no time
	left     []string // what else was not driven for lack of time, and why
}

// newPlan plans with what remains now. Where not even the quickest style has time for one round of all measured
// scenarios, the last scenarios are left out, one after the other; it is an error if the first one alone does not fit.
func (s *schedule) newPlan() (Plan, error) {
	if len(s.measured()) == 0 {
		return Plan{}, s.measurable() // loads and matrix have as many rounds as were asked for
	}
	for {
		plan := NewPlan(s.budget(), s.costs())
		if s.worthwhile(plan) {
			return plan, nil
		}
		measured := s.measured()
		if len(measured) == 1 || s.base != nil {
			least := plan.Planned
			for _, c := range plan.Left {
				least += c.Round
				if s.base == nil && c.Style != spec.Floor {
					break // the quickest of them
				}
			}
			least += s.around()
			return plan, fmt.Errorf("nothing was driven: %s takes about %v with set-up and teardown, and %v remain before go test's -timeout; give a longer one: go test -timeout %v …",
				s.least(plan), least.Round(time.Second), time.Until(s.deadline).Round(time.Second), (least+least/4).Round(time.Minute)+time.Minute)
		}
		last := measured[len(measured)-1].Name
		s.dropped = append(s.dropped, last)
		s.scenarios = slices.DeleteFunc(s.scenarios, func(scenario scenarios.Scenario) bool { return scenario.Name == last })
	}
}

// worthwhile tells whether a plan has a style that was asked for. A comparison needs all of its sides.
func (s *schedule) worthwhile(plan Plan) bool {
	if s.base != nil {
		return len(plan.Left) == 0
	}
	return slices.ContainsFunc(s.asked(), func(p *participant) bool { return plan.Rounds[p.label()] > 0 })
}

// least names what a plan could not even begin with.
func (s *schedule) least(p Plan) string {
	if s.base != nil {
		return "one round of base, base again and head"
	}
	for _, c := range p.Left {
		if c.Style != spec.Floor {
			return fmt.Sprintf("one round of %s with the scenario %s alone", c.Style, s.measured()[0].Name)
		}
	}
	return "one round of the floor"
}

// budget is what remains for the measured scenarios before go test's -timeout; 0 where there is none.
func (s *schedule) budget() time.Duration {
	if s.deadline.IsZero() {
		return 0
	}
	budget := time.Until(s.deadline) - s.around()
	rest := s.typicalLoads() // which come after all rounds, as does the matrix
	for _, w := range s.waves() {
		rest += time.Duration(s.matrixRounds()) * s.typicalWave(&w)
	}
	for _, c := range s.costs() {
		rest += c.Round
	}
	if rest <= budget { // else one round each comes first
		budget -= rest
		for _, c := range s.costs() {
			budget += c.Round
		}
	}
	return max(budget, time.Second)
}

// around is how long everything but driving is expected to take from now on.
func (s *schedule) around() time.Duration {
	if !s.made {
		return typicalEnvironment + typicalCollector + s.Reserve()
	}
	return typicalCollector + s.Reserve()
}

// remains is the time until the teardown must begin; it is not limited where there is no -timeout.
func (s *schedule) remains() time.Duration {
	if s.deadline.IsZero() {
		return 1<<63 - 1
	}
	return time.Until(s.deadline) - s.Reserve()
}

func (s *schedule) costs() []Cost {
	return plain.Map(s.participants, s.cost)
}

// What planning expects where nothing has been measured yet.
const (
	typicalPods        = 2 * time.Second  // until pods are ready or gone
	typicalUninstall   = 15 * time.Second // until nothing of a style is left
	typicalCollector   = 30 * time.Second // until the garbage collector knows a new definition
	typicalEnvironment = 45 * time.Second // cluster, custom resource, images loaded
)

// cost is how long one block of a participant is expected to take, and how many are
// wanted: what its last block here took, else what its style.yaml says.
func (s *schedule) cost(p *participant) Cost {
	cost := Cost{Style: p.label(), Wanted: s.rounds(), Round: p.took}
	if cost.Round > 0 {
		return cost
	}
	changes := len(s.measured()) * s.passes(p)
	typical := p.typical()
	if p.operator != nil {
		cost.Round = typical.Install + typicalUninstall
		changes += 2 * len(s.warmupOf(p))
	}
	cost.Round += time.Duration(changes) * s.change(typical)
	return cost
}

// enough tells whether there is time for a further part of a participant's work, and keeps that there was not.
func (s *schedule) enough(p *participant, what string, expected time.Duration) bool {
	remains := s.remains()
	if expected <= remains {
		return true
	}
	left := fmt.Sprintf("%s: %s was not driven: it takes about %v, and %v remained before go test's -timeout",
		p.label(), what, expected.Round(time.Second), max(remains, 0).Round(time.Second))
	s.remark(left)
	s.left = append(s.left, left)
	return false
}

// makePlan fits the rounds into what remains of go test's -timeout, and says what there is no time for.
func (s *schedule) makePlan() error {
	var err error
	if s.plan, err = s.newPlan(); err != nil {
		return err
	}
	if short := s.plan.Shortened(append([]string{spec.Floor}, s.Styles()...)); short != "" {
		s.remark(short)
	}
	for _, c := range s.plan.Left {
		s.left = append(s.left, fmt.Sprintf("%s: one round takes about %v", c.Style, c.Round.Round(time.Second)))
	}
	if len(s.dropped) > 0 {
		short := "left out, because not even the quickest style has time for more: the scenarios " + strings.Join(s.dropped, ", ")
		s.remark(short)
	}
	return nil
}

// Unfinished says what was asked for by its name and was not driven for lack of
// time. Of all styles, and of all latency scenarios, those that fit are driven.
func (s *schedule) Unfinished() error {
	var left []string
	if s.options.Operator != styles.All {
		left = append(left, s.left...)
	}
	if s.options.scenario() != spec.GroupLatency && len(s.dropped) > 0 {
		left = append(left, "scenarios "+strings.Join(s.dropped, ", "))
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("not all that was asked for was driven before go test's -timeout (%s): give a longer one, or ask for less", strings.Join(left, "; "))
}

// Fits tells whether the time was enough for a style to be driven at all.
func (s *schedule) Fits(label string) bool {
	return !slices.ContainsFunc(s.plan.Left, func(c Cost) bool { return c.Style == label }) || s.plan.Rounds[label] > 0
}

// change is how long one change of a custom resource is expected to take.
func (s *schedule) change(typical spec.Typical) time.Duration {
	return typical.Reconcile + typicalPods + s.options.Window
}

// What is done after driving has ended, at go test's deadline too.
const (
	mendWithin     = 5 * time.Second  // until what was broken on purpose is given back: see package drive
	logsWhenOver   = 5 * time.Second  // of the style that took too long
	reportsWithin  = 15 * time.Second // until the recording is judged and the reports are written: 139 MB take 2 s
	removalWithin  = 20 * time.Second // of a kind cluster: it takes 4 s, and its reaper goes on by itself
	sweepWithin    = 3 * time.Minute  // of an existing cluster, with a style in it
	teardownWithin = 5 * time.Minute  // of either, where no deadline is near
)

// numbered says which round it is, and of how many where that is planned.
func (s *schedule) numbered(round int) string {
	if s.precise() {
		return fmt.Sprintf("round %d", round)
	}
	return fmt.Sprintf("round %d/%d", round, s.plan.Longest())
}

// Reserve is the time before go test's -timeout that is kept for what comes after driving. It depends on the cluster:
// of one of its own a run removes the node, of an existing one each object, with those that finalizers hold.
func (s *schedule) Reserve() time.Duration {
	removal := removalWithin
	if !s.can(cluster.RemoveWhole) {
		removal = sweepWithin
	}
	return mendWithin + logsWhenOver + removal + reportsWithin
}

// teardownTime is what Close has for the cluster.
func (s *schedule) teardownTime() time.Duration {
	if s.deadline.IsZero() {
		return teardownWithin
	}
	return min(teardownWithin, max(time.Until(s.deadline)-reportsWithin, time.Second))
}

// turns are the participants that have a block in a round, in their order there. That of
// the first round is no chance: a comparison with a base has none of that kind.
func (s *schedule) turns(round int) []*participant {
	planned := slices.DeleteFunc(order(s.participants, s.options.Seed, round), func(p *participant) bool { return s.plan.Rounds[p.label()] < round })
	if round == 1 && s.base == nil {
		slices.SortStableFunc(planned, func(p, b *participant) int { return cmp.Compare(p.typical().Reconcile, b.typical().Reconcile) })
	}
	if s.options.Keep && round == s.plan.Longest() {
		return floorFirst(planned, s.floor())
	}
	return planned
}

// last tells whether no other installation follows in this run.
func (s *schedule) last(place block) bool {
	if waves := s.waves(); len(waves) > 0 {
		final := waves[len(waves)-1]
		return place.round == s.matrixRounds() && place.participant == final.participant && place.wave == final.number
	}
	if loads := s.loads(); len(loads) > 0 {
		turns := s.loadTurns(s.matrixRounds())
		return place.round == s.matrixRounds() && place.participant == turns[len(turns)-1] && place.load == loads[len(loads)-1].Name
	}
	turns := s.turns(s.plan.Longest())
	return place.round == s.plan.Longest() && turns[len(turns)-1] == place.participant
}

func (s *schedule) typicalMatrix(c *comparison, list []scenarios.Scenario) time.Duration {
	var all time.Duration
	for _, p := range c.sides() {
		for _, w := range wavesOf(p, list, 1, s.workload.AtOnce) {
			all += s.typicalWave(&w)
		}
	}
	return all
}

// typicalLoads is how long the loads are expected to take.
func (s *schedule) typicalLoads() time.Duration {
	var all time.Duration
	for _, load := range s.loads() {
		for _, p := range s.participants {
			all += s.typicalLoad(p, load)
		}
	}
	return time.Duration(s.matrixRounds()) * all
}

// typicalLoad is how long a participant's turn in a load takes at most. A style that handles
// one custom resource after the other is given up when the load's time is over.
func (s *schedule) typicalLoad(p *participant, load scenarios.Scenario) time.Duration {
	n := time.Duration(load.Load.Resources)
	all := time.Duration(load.Load.Spaces())*typicalSpace + matrixWindow
	if ramp := load.Load.Ramp; ramp != nil {
		all = time.Duration(ramp.Steps()) * (2*all + ramp.Hold + load.Load.Within/2) // what a step made is removed as well, and every second waits for what is late
	}
	if growth := load.Load.Growth; growth != nil {
		all += growth.Lasts(load.Load.Every)
	}
	if p.operator == nil {
		return all
	}
	typical := p.typical()
	all += typical.Install + typicalUninstall + min(n*time.Duration(len(load.Steps))*typical.Reconcile, load.Load.Within)
	return all + time.Duration(2*len(s.warmupOf(p)))*s.change(typical)
}

// forecast is how long the parts of a run are expected to take.
type forecast struct {
	total time.Duration
	parts []string
}

func (f *forecast) add(takes time.Duration, part string, args ...any) {
	f.total += takes
	f.parts = append(f.parts, fmt.Sprintf(part, args...))
}

// foretell says how long the run will take, as its styles' files and a machine of 2 cores let expect.
func (s *schedule) foretell() string {
	if s.base != nil {
		return s.foretellComparison()
	}
	var f forecast
	f.add(typicalEnvironment+typicalCollector, "cluster and images %v", typicalEnvironment+typicalCollector)
	if !s.precise() {
		s.foretellRounds(&f)
	}
	about := "about"
	if s.foretellRest(&f) {
		about = "at most"
	}
	images := ""
	if s.options.ImagesAsked && s.can(cluster.LoadImages) {
		images = "; pulling or building images that are missing comes on top"
	}
	if s.precise() {
		return fmt.Sprintf("expected: rounds until every median is known to ±%s, for up to %v (--budget); on top come %s, and clean-up (typical of 2 cores%s)",
			&s.options.Precision, s.options.Budget, strings.Join(f.parts, ", "), images)
	}
	return fmt.Sprintf("expected: %s %v: %s (typical of 2 cores%s)", about, f.total.Round(10*time.Second), strings.Join(f.parts, ", "), images)
}

// foretellRounds adds the rounds in which single changes are measured.
func (s *schedule) foretellRounds(f *forecast) {
	plan, err := s.newPlan()
	if err != nil {
		return
	}
	for _, p := range s.participants {
		c := s.cost(p)
		switch rounds := plan.Rounds[c.Style]; rounds {
		case 0:
		case 1:
			f.add(c.Round, "%s %v", c.Style, c.Round.Round(time.Second))
		default:
			f.add(time.Duration(rounds)*c.Round, "%s %d x %v", c.Style, rounds, c.Round.Round(time.Second))
		}
	}
}

// foretellRest adds what comes after all rounds, the loads and the matrix, and reports whether there is any: it may take
// less.
func (s *schedule) foretellRest(f *forecast) bool {
	loads := s.typicalLoads()
	if loads > 0 {
		f.add(loads, "loads up to %v", loads.Round(time.Second))
	}
	var matrix time.Duration
	for _, w := range s.waves() {
		matrix += time.Duration(s.matrixRounds()) * s.typicalWave(&w)
	}
	if matrix > 0 {
		f.add(matrix, "matrix up to %v", matrix.Round(time.Minute))
	}
	return loads+matrix > 0
}

// foretellComparison says how long a comparison may take.
func (s *schedule) foretellComparison() string {
	var names []string
	for _, c := range s.comparisons {
		one := sum(c.participants, func(p *participant) time.Duration { return s.cost(p).Round })
		names = append(names, fmt.Sprintf("%s (a round about %v, by what its style.yaml says)", c.style, one.Round(time.Second)))
	}
	rounds := fmt.Sprintf("for at most %d rounds, or until all is settled", s.most())
	total := typicalEnvironment + typicalCollector + s.options.Budget + s.loadTime() + typicalUninstall
	matrix := ""
	if takes := sum(s.comparisons, func(c *comparison) time.Duration { return s.typicalMatrix(c, s.matrix()) }); takes > 0 {
		total += takes
		matrix = fmt.Sprintf(", the scenarios of the correctness matrix (at most %v)", takes.Round(time.Minute))
	}
	loads := ""
	if most := s.loadTime(); most > 0 {
		loads = fmt.Sprintf(", loads (at most %v)", most.Round(time.Second))
	}
	return fmt.Sprintf("expected: at most %v once the images are there (profile %s): %s is compared with %s (%.12s): base, base again and head take turns in random order %s, for up to %v (--budget); on top come cluster, images%s%s and clean-up",
		total.Round(time.Minute), cmp.Or(s.options.Profile, profiles.Standard), strings.Join(names, ", "), s.options.Base, s.base.commit, rounds, s.options.Budget, loads, matrix)
}
