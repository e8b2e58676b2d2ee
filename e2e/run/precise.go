package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
)

// Precision is how narrow the interval of a median is to be: the largest half of its
// width, as a share of the median. Zero: any will do.
type Precision float64

var _ flag.Value = (*Precision)(nil)

// String is a percentage, "" for none; with Set it makes Precision a flag.Value.
func (p *Precision) String() string {
	if *p == 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(*p), 'g', -1, 64) + "%"
}

// Set reads a percentage.
func (p *Precision) Set(value string) error {
	number, cut := strings.CutSuffix(value, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if !cut || err != nil || !(percent >= 1 && percent <= 100) { // NaN is neither
		return errors.New("expected a percentage from 1% to 100%, such as 10%")
	}
	*p = Precision(percent / 100)
	return nil
}

// preciseRun drives rounds until the median of every style in every scenario is known
// as precisely as was asked for, or the budget is spent.
type preciseRun struct{ *Session }

// preciseRounds is how many rounds passes are chosen for: the budget is to hold those
// after which there is a look, and as many again.
const preciseRounds = 2 * stat.FirstLook

// mostPrecise is how many rounds there are at most, unless --rounds says.
const mostPrecise = 100

// drive returns errors as Session.Drive does.
func (r preciseRun) drive(ctx context.Context) error {
	r.options.Budget = min(r.options.Budget, r.remains())
	began := time.Now()
	for round := 1; ; round++ {
		r.next(round, r.options.Budget-time.Since(began))
		turns := r.turns(round)
		if len(turns) == 0 {
			break
		}
		for _, p := range turns {
			if !r.enough(p, fmt.Sprintf("round %d", round), r.cost(p).Round) {
				r.plan.Rounds[p.label()]--
				continue
			}
			if err := r.guarded(ctx, p, func() error { return r.block(ctx, p, round) }); err != nil {
				return err
			}
		}
		if round < stat.FirstLook {
			continue
		}
		if err := r.look(round); err != nil {
			return err
		}
	}
	r.remark(r.sumUp(time.Since(began)))
	return nil
}

// next gives a further round to every style of which not all is known yet, the quickest first, as far as they fit into
// what is left of the budget, and to the floor beside them. The first round is everybody's.
func (r preciseRun) next(round int, left time.Duration) {
	most := r.options.Rounds
	if most == 0 {
		most = mostPrecise
	}
	floor := r.floor()
	going := slices.DeleteFunc(slices.Clone(r.participants), func(p *participant) bool {
		return p.err != nil || r.plan.Rounds[p.label()] < round-1 || p.operator != nil && p.unknown != nil && len(p.unknown) == 0
	})
	slices.SortStableFunc(going, func(a, b *participant) int { return int(a.took - b.took) })
	if floor != nil {
		left -= floor.took
	}
	fits := 0
	for _, p := range going {
		if p == floor {
			continue
		}
		if left -= p.took; round > most || round > 1 && left < 0 {
			break
		}
		r.plan.Rounds[p.label()] = round
		fits++
	}
	if floor != nil && (fits > 0 || round == 1) {
		r.plan.Rounds[floor.label()] = round
	}
}

// choosePasses is called when the first block of a participant has gone through the
// scenarios once: so many passes that its share of the budget holds preciseRounds.
func (r preciseRun) choosePasses(p *participant) int {
	fixed, pass := r.paced()
	p.passes = gate.Passes(r.options.Budget/time.Duration(len(r.participants)), fixed, pass, preciseRounds)
	return p.passes
}

// look finds out what is not known yet, and tells it.
func (r preciseRun) look(round int) error {
	recording, err := result.Load(r.folder)
	if err != nil {
		return fmt.Errorf("take a look at what was recorded so far: %w", err)
	}
	set := result.Of(recording)
	var open []string
	for _, p := range r.operated() {
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
		rounds := plain.Plural(r.plan.Rounds[p.label()], "round")
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
