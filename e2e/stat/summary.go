package stat

import (
	"fmt"
	"iter"
	"math"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
)

// Level is the confidence level of all intervals.
const Level = 0.95

// Key is what samples are grouped by.
type Key struct{ Operator, Variant, Scenario, Phase string }

// Summary sums up the latencies of one phase. Values are in the samples' unit, seconds. Warm-up samples are left out.
type Summary struct {
	Key
	N           int // latencies that count, the censored ones included
	Rounds      int // that these are of
	Censored    int // of these, timeouts
	Wrong       int // not counted, because an oracle failed
	Interrupted int // not counted, because it is not known

	P50, P90, P99, Max Observation // zero where N is 0; see Shows
	// Confidence intervals, which resample whole rounds; nil where there are too few of them: see Replicates.Interval.
	CI50, CI90, CI99 *Interval

	Ordered    Ordered // the N latencies
	Replicates Replicates
	Names      []Round // of Replicates; nil: they have none
}

// Shows reports whether a quantile may be printed: the median always, as the middle of the values seen;
// others where there are as many latencies as bound them at all (Needed). What would stand there instead is the
// maximum, which is to be called that.
func (s *Summary) Shows(p float64) bool { return s.N > 0 && (p == 0.5 || s.N >= Needed(p)) }

// FirstLook is from how many rounds on Known may end a run: an interval of fewer is too often narrow by chance, and
// covers less for being looked at (80% to 90% from 6 rounds on, 93% from 10 on: TestStoppingRule).
const FirstLook = 10

// Known reports whether the median is as precise as is asked for: half the width of its
// interval is at most that share of it. What always timed out, and what has no latency
// at all, becomes no more precise by more rounds. The text is how precise it is.
func (s *Summary) Known(precision float64) (known bool, text string) {
	switch {
	case s.N == 0 || s.Censored == s.N:
		return true, ""
	case s.CI50 == nil:
		return false, fmt.Sprintf("%s of %d", plain.Plural(s.Rounds, "round"), MinRounds)
	case s.CI50.High.Censored:
		return false, "timed out in places"
	}
	half := (s.CI50.High.Value - s.CI50.Low.Value) / 2 / s.P50.Value
	return half <= precision, fmt.Sprintf("±%.0f%%", 100*half)
}

// Summarize groups samples, in the order of their first appearance.
func Summarize(samples iter.Seq[judge.Sample]) []Summary {
	var order []*group
	groups := map[Key]*group{}
	for s := range samples {
		if s.Warmup {
			continue
		}
		key := Key{s.Operator, s.Variant, s.Scenario, s.Phase}
		g := groups[key]
		if g == nil {
			g = &group{Summary: Summary{Key: key}, at: map[Round]int{}}
			groups[key] = g
			order = append(order, g)
		}
		g.add(s)
	}
	b := bootstrap{}
	return plain.Map(order, func(g *group) Summary { return g.done(b) })
}

type group struct {
	Summary
	all []Observation
	at  map[Round]int // of Replicates
}

// Round is a replicate's name: runs count from 1, each for itself.
type Round struct {
	Run   string
	Block int
}

func (g *group) add(s judge.Sample) {
	switch {
	case s.Outcome == judge.Wrong:
		g.Wrong++
	case (s.Outcome == judge.OK || s.Outcome == judge.Timeout) && !math.IsNaN(s.Value):
		o := Observation{Value: s.Value, Censored: s.Outcome == judge.Timeout}
		name := Round{s.Run, s.Block}
		at, there := g.at[name]
		if !there {
			at = len(g.Replicates)
			g.at[name], g.Replicates, g.Names = at, append(g.Replicates, nil), append(g.Names, name)
		}
		g.N, g.all, g.Replicates[at] = g.N+1, append(g.all, o), append(g.Replicates[at], o)
		if o.Censored {
			g.Censored++
		}
	default:
		g.Interrupted++
	}
}

func (g *group) done(b bootstrap) Summary {
	s := g.Summary
	if s.N == 0 {
		return s
	}
	s.Rounds, s.Ordered = len(s.Replicates), Order(g.all)
	s.P50, s.P90, s.P99, s.Max = s.Ordered.Quantile(0.5), s.Ordered.Quantile(0.9), s.Ordered.Quantile(0.99), s.Ordered.Max()
	s.CI50, s.CI90, s.CI99 = s.Replicates.interval(b, 0.5), s.Replicates.interval(b, 0.9), s.Replicates.interval(b, 0.99)
	return s
}

// Of sums up observations, where each is a round of its own.
func Of(values ...Observation) Summary {
	g := &group{}
	for _, o := range values {
		g.N, g.all, g.Replicates = g.N+1, append(g.all, o), append(g.Replicates, []Observation{o})
		if o.Censored {
			g.Censored++
		}
	}
	return g.done(bootstrap{})
}
