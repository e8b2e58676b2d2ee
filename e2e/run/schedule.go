package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/profiles"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// schedule holds what is driven against the time that there is.
type schedule struct {
	*job
	deadline time.Time  // of go test's -timeout; zero: none
	short    []turnKind // what was not driven for lack of time, each once
	left     []string   // the same for people, and why
}

// What is expected where nothing has been measured yet.
const (
	typicalPods        = 2 * time.Second        // until pods are ready or gone
	typicalUninstall   = 15 * time.Second       // until nothing of a style is left
	typicalCollector   = 30 * time.Second       // until the garbage collector knows a new definition
	typicalEnvironment = 45 * time.Second       // cluster, custom resource, images loaded
	typicalSpace       = 200 * time.Millisecond // to make a load's namespace, and to remove it: seen on two cores with 50
)

// What is done after driving has ended, at go test's deadline too.
const (
	mendWithin     = 5 * time.Second  // until what was broken on purpose is given back: see package drive
	logsWhenOver   = 5 * time.Second  // of the style that took too long
	reportsWithin  = 15 * time.Second // until the reports are written
	removalWithin  = 20 * time.Second // of a kind cluster: it takes 4 s, and its reaper goes on by itself
	sweepWithin    = 3 * time.Minute  // of an existing cluster, with a style in it
	teardownWithin = 5 * time.Minute  // of either, where no deadline is near
)

// remains is the time until the teardown must begin; it is not limited where there is no -timeout.
func (s *schedule) remains() time.Duration {
	if s.deadline.IsZero() {
		return 1<<63 - 1
	}
	return time.Until(s.deadline) - s.Reserve()
}

// Reserve is the time before go test's -timeout that is kept for what comes after driving. It depends on the cluster:
// of one of its own a run removes the node, of an existing one each object, with those that finalizers hold.
func (s *schedule) Reserve() time.Duration {
	removal := removalWithin
	if !s.own() {
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

// enough reports whether there is time for a turn, beside what is reserved for others. Where there is not, it says so
// once of the participant's turns of that kind.
func (s *schedule) enough(t turn, reserved time.Duration) bool {
	of := t.kind()
	if slices.Contains(s.short, of) {
		return false
	}
	expected, remains := s.takes(t), s.remains()-reserved
	if expected <= remains {
		return true
	}
	left := fmt.Sprintf("%s: %s was not driven: it takes about %v, and %v remained before go test's -timeout",
		of.label, t.what(), expected.Round(time.Second), max(remains, 0).Round(time.Second))
	s.remark(left)
	s.short, s.left = append(s.short, of), append(s.left, left)
	return false
}

// feasible is an error where there is nothing to measure, or not even the quickest turn of a style that was asked for
// fits into the time that there is. A comparison needs one of each of its sides.
func (s *schedule) feasible() error {
	if err := s.measurable(); err != nil || s.deadline.IsZero() {
		return err
	}
	least, what := time.Duration(1<<63-1), ""
	for _, t := range s.turns() {
		if takes := s.takes(t); t.participant.asked != nil && takes < least {
			least, what = takes, fmt.Sprintf("%s of %s", t.what(), t.participant.label())
		}
	}
	if s.base != nil {
		least, what = plain.Sum(s.participants, s.typicalRound), "one round of base, base again and head"
	}
	if around := typicalEnvironment + typicalCollector + s.Reserve(); what != "" && least+around > time.Until(s.deadline) {
		return fmt.Errorf("nothing was driven: %s takes about %v with set-up and teardown, and %v remain before go test's -timeout; give a longer one: go test -timeout %v …",
			what, (least + around).Round(time.Second), time.Until(s.deadline).Round(time.Second), ((least+around)*5/4).Round(time.Minute)+time.Minute)
	}
	return nil
}

// Unfinished says what was asked for by its name and was not driven for lack of time. Of all styles those that fit are
// driven.
func (s *schedule) Unfinished() error {
	if s.options.Operator == styles.All || len(s.left) == 0 {
		return nil
	}
	return fmt.Errorf("not all that was asked for was driven before go test's -timeout (%s): give a longer one, or ask for less", strings.Join(s.left, "; "))
}

// Fits reports whether the time was enough for all turns of a style.
func (s *schedule) Fits(label string) bool {
	return !slices.ContainsFunc(s.short, func(k turnKind) bool { return k.label == label })
}

// takes is how long a turn is expected to take.
func (s *schedule) takes(t turn) time.Duration {
	switch {
	case t.wave > 0:
		return s.typicalWave(t)
	case t.load != "":
		return s.typicalLoad(t.participant, t.plan.Scenarios[0])
	}
	return s.typicalRound(t.participant)
}

// typicalRound is how long a participant's turn in a round takes: what its last one took, else what its style.yaml
// says.
func (s *schedule) typicalRound(p *participant) time.Duration {
	if p.took > 0 {
		return p.took
	}
	changes, typical, takes := len(s.measured())*s.passes(p), p.typical(), time.Duration(0)
	if p.operator != nil {
		takes = typical.Install + typicalUninstall
		changes += 2 * len(s.warmupOf(p))
	}
	return takes + time.Duration(changes)*s.change(typical)
}

// change is how long one change of a custom resource is expected to take.
func (s *schedule) change(typical spec.Typical) time.Duration {
	return typical.Reconcile + typicalPods + s.options.Window
}

// typicalLoad is how long a participant's turn in a load takes at most. A style that handles
// one custom resource after the other is given up when the load's time is over.
func (s *schedule) typicalLoad(p *participant, load scenarios.Scenario) time.Duration {
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
	all += typical.Install + typicalUninstall
	for _, n := range load.Load.Stages() {
		all += min(time.Duration(n*len(load.Steps))*typical.Reconcile, load.Load.Within)
	}
	return all + time.Duration(2*len(s.warmupOf(p)))*s.change(typical)
}

// typicalMatrix is how long the sides of a comparison take for scenarios of the matrix.
func (s *schedule) typicalMatrix(c *comparison, list []scenarios.Scenario) time.Duration {
	return plain.Sum(c.sides(), func(p *participant) time.Duration {
		return plain.Sum(wavesOf(p, list, 1, s.workload.AtOnce), s.typicalWave)
	})
}

// expected is how long the parts of a run are expected to take.
type expected struct{ rounds, loads, matrix time.Duration }

func (s *schedule) expect(turns []turn) (e expected) {
	for _, t := range turns {
		switch takes := s.takes(t); {
		case t.wave > 0:
			e.matrix += takes
		case t.load != "":
			e.loads += takes
		default:
			e.rounds += takes
		}
	}
	return e
}

// foretell says how long the run will take, as its styles' files and a machine of 2 cores let expect.
func (s *schedule) foretell() string {
	if s.base != nil {
		return s.foretellComparison()
	}
	around, e := typicalEnvironment+typicalCollector, s.expect(s.turns())
	parts, about := []string{fmt.Sprintf("cluster and images %v", around)}, "about"
	if e.rounds > 0 && !s.precise() {
		parts = append(parts, fmt.Sprintf("rounds %v", e.rounds.Round(time.Second)))
	}
	for _, one := range []struct {
		name  string
		takes time.Duration
	}{{"loads", e.loads}, {"matrix", e.matrix}} {
		if one.takes > 0 {
			parts, about = append(parts, fmt.Sprintf("%s up to %v", one.name, one.takes.Round(time.Second))), "at most"
		}
	}
	images := ""
	if s.options.ImagesAsked && s.own() {
		images = "; pulling or building images that are missing comes on top"
	}
	if s.precise() {
		return fmt.Sprintf("expected: rounds until every median is known to ±%s, for up to %v (--budget); on top come %s, and clean-up (typical of 2 cores%s)",
			&s.options.Precision, s.options.Budget, strings.Join(parts, ", "), images)
	}
	return fmt.Sprintf("expected: %s %v: %s (typical of 2 cores%s)", about, (around + e.rounds + e.loads + e.matrix).Round(10*time.Second), strings.Join(parts, ", "), images)
}

// foretellComparison says how long a comparison may take.
func (s *schedule) foretellComparison() string {
	names := plain.Map(s.comparisons, func(c *comparison) string {
		return fmt.Sprintf("%s (a round about %v, by what its style.yaml says)", c.style, plain.Sum(c.participants, s.typicalRound).Round(time.Second))
	})
	total, more := typicalEnvironment+typicalCollector+s.options.Budget+typicalUninstall, ""
	if most := s.loadTime(); most > 0 {
		total += most
		more = fmt.Sprintf(", loads (at most %v)", most.Round(time.Second))
	}
	if takes := plain.Sum(s.comparisons, func(c *comparison) time.Duration { return s.typicalMatrix(c, s.matrix()) }); takes > 0 {
		total += takes
		more += fmt.Sprintf(", the scenarios of the correctness matrix (at most %v)", takes.Round(time.Minute))
	}
	return fmt.Sprintf("expected: at most %v once the images are there (profile %s): %s is compared with %s (%.12s): base, base again and head take turns in random order for at most %d rounds, or until all is settled, for up to %v (--budget); on top come cluster, images%s and clean-up",
		total.Round(time.Minute), cmp.Or(s.options.Profile, profiles.Standard), strings.Join(names, ", "), s.options.Base, s.base.commit, s.most(), s.options.Budget, more)
}
