package scenarios

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Churn has the custom resources of a load change and go while others come: so many changes and deletions are dealt out
// among the creations, by the load's seed. The scenario's steps say which sizes they have.
type Churn struct {
	Changes int `yaml:"changes"`
	Deletes int `yaml:"deletes"`
}

// Life is what is done to one custom resource of a load, and when after the load's beginning.
type Life struct {
	Steps []Step
	Due   []time.Duration
}

// Result is the state that the last step asks for; nil: the custom resource is to be gone.
func (l Life) Result() *Spec { return Scenario{Steps: l.Steps}.Result() }

func (l *Life) add(step Step, due time.Duration) {
	l.Steps, l.Due = append(l.Steps, step), append(l.Due, due)
}

// Lives are those of all custom resources, in the order of their first steps.
func (s Schedule) Lives(steps []Step) []Life {
	starts := s.Starts()
	if s.Churn != nil {
		return s.churned(starts, steps)
	}
	lives := make([]Life, len(starts))
	for i, start := range starts {
		for k, step := range steps {
			lives[i].add(step, start+time.Duration(k)*s.Pace)
		}
	}
	return lives
}

// churned deals creations, changes and deletions out to the times. Each change and deletion
// is of a custom resource that is there; where there is none, the next creation comes first.
func (s Schedule) churned(starts []time.Duration, steps []Step) []Life {
	random := rand.New(rand.NewPCG(s.Seed, 1)) //nolint:gosec // an order of trials, not a secret
	kinds := slices.Concat(slices.Repeat([]Step{{Create: &Spec{}}}, s.Resources), slices.Repeat([]Step{{Patch: &Spec{}}}, s.Churn.Changes),
		slices.Repeat([]Step{{Delete: &Delete{}}}, s.Churn.Deletes))
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	var lives []Life
	var there []int // of lives
	for i, due := range starts {
		if len(there) == 0 && kinds[i].Create == nil {
			next := i + slices.IndexFunc(kinds[i:], func(k Step) bool { return k.Create != nil })
			kinds[i], kinds[next] = kinds[next], kinds[i]
		}
		if kinds[i].Create != nil {
			lives, there = append(lives, Life{}), append(there, len(lives))
			lives[len(lives)-1].add(kinds[i], due)
			continue
		}
		at := random.IntN(len(there))
		lives[there[at]].add(kinds[i], due)
		if kinds[i].Delete != nil {
			there = slices.Delete(there, at, at+1)
		}
	}
	for i := range lives {
		lives[i].size(steps)
	}
	return lives
}

// size gives the steps the sizes of the scenario's, in turn, so that each differs from the one
// before it; the last has that of the scenario's last.
func (l *Life) size(of []Step) {
	last := len(of) - 1
	for i := range l.Steps {
		size := of[i%last].result(nil)
		if i == len(l.Steps)-1 {
			size = of[last].result(nil)
		}
		switch step := &l.Steps[i]; {
		case step.Create != nil:
			step.Create = size
		case step.Patch != nil:
			step.Patch = size
		}
	}
}
