package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// precise reports whether medians are to be known to a precision.
func (j *job) precise() bool { return j.options.Precision > 0 }

// measurable is an error where medians are to be known to a precision and no scenario has any that counts for it.
func (j *job) measurable() error {
	if !j.precise() || len(j.measured()) > 0 {
		return nil
	}
	return asked(fmt.Errorf("--precision=%s with --scenario=%s: there are rounds until the medians of the group %s are known, and no scenario of that group is driven: add one, or leave --precision out",
		&j.options.Precision, j.options.scenario(), spec.GroupLatency))
}

// preciseRun plans rounds until the median of every style in every scenario is known as precisely as was asked for, or
// the budget is spent.
type preciseRun struct {
	*Session
	rounds map[string]int // that a participant has had, or is to have next
}

// preciseRounds is how many rounds of a participant its share of the budget is to hold, by the number of passes: those
// after which there is a look, and as many again.
const preciseRounds = 2 * stat.FirstLook

// mostPrecise is how many rounds there are at most, unless --rounds says.
const mostPrecise = 100

// planned hands out those rounds, and then the loads and the matrix.
func (r preciseRun) planned(take func(turn) error) error {
	r.options.Budget = min(r.options.Budget, r.remains())
	r.rounds = map[string]int{}
	began := time.Now()
	for round := 1; r.next(round, r.options.Budget-time.Since(began)); round++ {
		for _, p := range r.inRound(round) {
			t := r.roundTurn(p, round, 0)
			if r.options.Passes == 0 && p.passes == 0 {
				t.plan.Choose = func() int { // called when its first block has gone through the scenarios once
					fixed, pass := r.paced()
					p.passes = gate.Passes(r.options.Budget/time.Duration(len(r.participants)), fixed, pass, preciseRounds)
					return p.passes
				}
			}
			if r.rounds[p.label()] == round && !r.enough(t, 0) {
				r.rounds[p.label()]--
			}
			if r.rounds[p.label()] < round {
				continue
			}
			if err := take(t); err != nil {
				return err
			}
		}
		if round >= stat.FirstLook {
			if err := r.look(round); err != nil {
				return err
			}
		}
	}
	r.remark(r.sumUp(time.Since(began)))
	return r.handOut(take, slices.Concat(r.loadTurns(), r.matrixTurns()))
}

// next gives a further round to every style that is not known well enough yet, the quickest first, as far as they fit
// into what is left of the budget, and to the floor beside them. The first round is everybody's. It reports whether
// there is one.
func (r preciseRun) next(round int, left time.Duration) bool {
	floor, fits := r.floor(), round == 1
	if floor != nil {
		left -= floor.took
	}
	for _, p := range slices.SortedStableFunc(slices.Values(r.operated()), func(a, b *participant) int { return cmp.Compare(a.took, b.took) }) {
		if p.err != nil || r.rounds[p.label()] < round-1 || p.unknown != nil && len(p.unknown) == 0 {
			continue
		}
		if left -= p.took; round > cmp.Or(r.options.Rounds, mostPrecise) || round > 1 && left < 0 {
			break
		}
		r.rounds[p.label()], fits = round, true
	}
	if floor != nil && fits {
		r.rounds[floor.label()] = round
	}
	return fits
}

// look finds out what is not known yet, and tells it.
func (r preciseRun) look(round int) error {
	recording, err := r.soFar()
	if err != nil {
		return fmt.Errorf("take a look at what was recorded so far: %w", err)
	}
	set := result.Of(recording)
	var open []string
	for _, p := range r.operated() {
		if rounds := r.rounds[p.label()]; rounds < stat.FirstLook { // the budget had no time for more
			open = append(open, fmt.Sprintf("%s (%s)", p.label(), plain.Plural(rounds, "round")))
			continue
		}
		p.unknown = []string{}
		for _, scenario := range set.Scenarios {
			cell := set.Cell(p.label(), scenario)
			if cell == nil {
				continue
			}
			written, _ := cell.Outcome()
			if known, how := written.Known(float64(r.options.Precision)); !known {
				p.unknown = append(p.unknown, scenario+" "+how)
			}
		}
		if len(p.unknown) > 0 {
			open = append(open, p.label()+" "+strings.Join(p.unknown, ", "))
		}
	}
	if len(open) == 0 {
		r.say("after round %d: every median is known to ±%s", round, &r.options.Precision)
	} else {
		r.say("after round %d, medians not known to ±%s yet: %s", round, &r.options.Precision, strings.Join(open, "; "))
	}
	return nil
}

// sumUp says why driving ended.
func (r preciseRun) sumUp(spent time.Duration) string {
	var open []string
	for _, p := range r.operated() {
		rounds := plain.Plural(r.rounds[p.label()], "round")
		switch {
		case p.err != nil:
			open = append(open, fmt.Sprintf("%s (%v)", p.label(), p.err))
		case p.unknown == nil:
			open = append(open, fmt.Sprintf("%s (%s; the first look is after %d)", p.label(), rounds, stat.FirstLook))
		case len(p.unknown) > 0:
			open = append(open, fmt.Sprintf("%s %s (%s)", p.label(), strings.Join(p.unknown, ", "), rounds))
		}
	}
	if len(open) == 0 {
		return fmt.Sprintf("every median of written (of delete: gone) is known to ±%s after %v", &r.options.Precision, spent.Round(time.Second))
	}
	return fmt.Sprintf("driving ended after %v of %v (--budget); not known to ±%s: %s", spent.Round(time.Second), r.options.Budget, &r.options.Precision, strings.Join(open, "; "))
}
