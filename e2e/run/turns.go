package run

import (
	"cmp"
	"fmt"
	"slices"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/spec/scenarios"
)

// turn is what a participant does on the cluster in one installation of it.
type turn struct {
	participant *participant
	round, of   int    // of how many rounds; 0: nobody knows yet
	wave        int    // of the correctness matrix; 0: latencies are measured
	load        string // the scenario, of a load
	plan        drive.Plan
	say         string // what a person reads before it
	last        bool   // the cluster is kept with what it installs
}

// measures reports whether it is a turn of the measured scenarios.
func (t turn) measures() bool { return t.wave == 0 && t.load == "" }

// turnKind is the turns of one kind of a participant.
type turnKind struct {
	label, load string
	wave        int
}

func (t turn) kind() turnKind { return turnKind{t.participant.label(), t.load, t.wave} }

// what names a turn for people.
func (t turn) what() string {
	switch {
	case t.wave > 0:
		return fmt.Sprintf("wave %d", t.wave)
	case t.load != "":
		return fmt.Sprintf("%s %d/%d", t.load, t.round, t.of)
	}
	if t.of == 0 {
		return fmt.Sprintf("round %d", t.round)
	}
	return fmt.Sprintf("round %d/%d", t.round, t.of)
}

// planned hands out the turns of a run without a base for which there is time, one after the other, and ends with the
// first error of take.
func (s *Session) planned(take func(turn) error) error { return s.handOut(take, s.turns()) }

// handOut hands out those turns of a list for which there is time. A first round of all comes before what comes after
// the rounds, further rounds leave the time for it.
func (s *Session) handOut(take func(turn) error, all []turn) error {
	later := s.expect(all)
	for _, t := range all {
		reserved := later.loads + later.matrix
		if t.round == 1 || !t.measures() {
			reserved = 0
		}
		if t.participant.err != nil || !s.enough(t, reserved) {
			continue
		}
		if err := take(t); err != nil {
			return err
		}
	}
	return nil
}

// turns are all that a run without a base is to have, in their order: the rounds, then the loads, then the matrix.
func (j *job) turns() []turn {
	all := slices.Concat(j.roundTurns(), j.loadTurns(), j.matrixTurns())
	if len(all) > 0 {
		all[len(all)-1].last = j.options.Keep
	}
	return all
}

// roundTurns are those of the measured scenarios: in each round every participant has one, in random order. In the
// first one the quickest come first, so that a person soon sees a result.
func (j *job) roundTurns() (all []turn) {
	rounds := cmp.Or(j.options.Rounds, roundsToShow)
	for round := 1; round <= rounds && len(j.measured()) > 0; round++ {
		for _, p := range j.inRound(round) {
			all = append(all, j.roundTurn(p, round, rounds))
		}
	}
	return all
}

// inRound are the participants in the order of a round of the measured scenarios.
func (j *job) inRound(round int) []*participant {
	participants := j.shuffled(round)
	if round == 1 {
		slices.SortStableFunc(participants, func(a, b *participant) int { return cmp.Compare(a.typical().Reconcile, b.typical().Reconcile) })
	}
	return participants
}

// roundTurn is a participant's turn in a round.
func (j *job) roundTurn(p *participant, round, of int) turn {
	return turn{participant: p, round: round, of: of, plan: drive.Plan{Round: round, Warmup: j.warmupOf(p), Scenarios: j.measured(), Passes: j.passes(p)}}
}

// loadTurns are those of the loads, as often as rounds were asked for. Each participant, the floor too, has an
// installation for each of them: what a load leaves undone must not be done in the next one's time.
func (j *job) loadTurns() (all []turn) {
	for round := 1; round <= j.matrixRounds(); round++ {
		for _, load := range j.loads() {
			for _, p := range j.shuffled(round) {
				all = append(all, j.loadTurn(p, round, load))
			}
		}
	}
	return all
}

// loadTurn is a participant's turn in a load.
func (j *job) loadTurn(p *participant, round int, load scenarios.Scenario) turn {
	return turn{participant: p, round: round, of: j.matrixRounds(), load: load.Name, plan: drive.Plan{Round: round, Warmup: j.warmupOf(p), Scenarios: []scenarios.Scenario{load}}}
}

// matrixTurns are the waves of the correctness matrix, as often as rounds were asked for.
func (j *job) matrixTurns() (all []turn) {
	waves := j.waves()
	for round := 1; round <= j.matrixRounds(); round++ {
		for i, w := range waves {
			t := w.in(round)
			t.say = fmt.Sprintf("matrix %d/%d, wave %d/%d: %s: %s", round, j.matrixRounds(), i+1, len(waves), w.participant.label(), few(namesOf(w.plan.Scenarios), "scenarios"))
			all = append(all, t)
		}
	}
	return all
}

// in is a wave's turn in a round.
func (t turn) in(round int) turn {
	t.round, t.plan.Round = round, round
	return t
}

// shuffled are the participants in the order of a round. The cluster is kept with a style in it: then the floor comes
// first.
func (j *job) shuffled(round int) []*participant {
	participants := order(j.participants, j.options.Seed, round)
	if i := slices.Index(participants, j.floor()); i >= 0 && j.options.Keep {
		return slices.Insert(slices.Delete(participants, i, i+1), 0, j.floor())
	}
	return participants
}
