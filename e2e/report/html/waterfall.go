package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
)

// bar is one stretch of time of a reconcile. Its times are seconds since the
// intent.
type bar struct {
	Name       string
	Begin, End float64
	// Running is when what was pending ran; it is Begin where that is not told.
	Running float64
	Open    bool // it had not ended when waiting did
	Moment  bool // what is told of is its end: it has no beginning of its own
}

// outside are the phases that every style has, each as the time that passed
// between the one before it and itself.
func outside(samples []judge.Sample) []bar {
	var bars []bar
	standard := judge.Phases()
	for _, s := range samples {
		if drawable(s) && slices.Contains(standard, s.Phase) {
			bars = append(bars, bar{Name: s.Phase, End: s.Value, Open: s.Outcome == judge.Timeout, Moment: true})
		}
	}
	chain(bars)
	return bars
}

// drawable tells whether it is known when a phase was, or how long it was
// waited for.
func drawable(s judge.Sample) bool {
	return s.Outcome != judge.Interrupted && s.Value >= 0 && s.Value <= greatest
}

// chain lets each moment's bar begin where the one before it ended.
func chain(bars []bar) {
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(a.End, b.End) })
	var last float64
	for i := range bars {
		if bars[i].Moment {
			bars[i].Begin, bars[i].Running = last, last
			if !bars[i].Open {
				last = bars[i].End
			}
		}
	}
}

// The last words of the inner phases that belong to one step.
const (
	pending  = "pending"
	started  = "started"
	running  = "running"
	finished = "finished"
)

// inside are a style's inner phases. Those called "<step> pending", "<step>
// running" (or "<step> started") and "<step> finished" make one bar; any other
// is a moment.
func inside(samples []judge.Sample) []bar {
	var bars []bar
	standard := judge.Phases()
	steps := map[string]*pieces{}
	var order []*pieces
	for _, s := range samples {
		if !drawable(s) || slices.Contains(standard, s.Phase) {
			continue
		}
		name, word := splitPhase(s.Phase)
		if steps[name] == nil {
			steps[name] = &pieces{name: name, at: map[string]judge.Sample{}}
			order = append(order, steps[name])
		}
		steps[name].at[word] = s
	}
	for _, one := range order {
		bars = append(bars, one.bars()...)
	}
	return arrange(bars)
}

// pieces is a step by the last words of its phases' names.
type pieces struct {
	name string
	at   map[string]judge.Sample
}

// splitPhase parts a phase's name into its step and its last word; the word is
// empty where the name does not tell of a step.
func splitPhase(phase string) (name, word string) {
	name, word, _ = cutLast(phase, " ")
	if slices.Contains([]string{pending, started, running, finished}, word) {
		return name, word
	}
	return phase, ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// bars are the step's: one where its beginning is known, else its moments.
func (s *pieces) bars() []bar {
	reached := func(word string) (float64, bool) {
		one, there := s.at[word]
		return one.Value, there && one.Outcome != judge.Timeout
	}
	one := bar{Name: s.name}
	begun := false
	for _, word := range []string{pending, started, running} {
		if at, there := reached(word); there && !begun {
			one.Begin, one.Running, begun = at, at, true
		}
	}
	if !begun {
		var bars []bar
		for _, word := range []string{"", pending, started, running, finished} {
			if sample, there := s.at[word]; there {
				bars = append(bars, bar{Name: sample.Phase, End: sample.Value, Open: sample.Outcome == judge.Timeout, Moment: true})
			}
		}
		return bars
	}
	if at, there := reached(running); there {
		one.Running = at
	}
	last, there := s.at[finished]
	one.End, one.Open = last.Value, last.Outcome == judge.Timeout
	if !there {
		one.End = one.Running
	}
	one.End = max(one.End, one.Running)
	return []bar{one}
}

// arrange orders bars as they began, and chains the moments among them.
func arrange(bars []bar) []bar {
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(a.End, b.End) })
	var last float64
	for i := range bars {
		if bars[i].Moment {
			bars[i].Begin, bars[i].Running = min(last, bars[i].End), min(last, bars[i].End)
		}
		if !bars[i].Open {
			last = max(last, bars[i].End)
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(a.Begin, b.Begin) })
	return bars
}

// Label is the bar in a few words: how long a step took, or when a moment was.
// With Later it is no longer than widestLabel.
func (b *bar) Label() string {
	said := " " + plain.Duration(b.End-b.Begin)
	switch {
	case b.Open && b.Moment:
		said = " not within " + plain.Duration(b.End)
	case b.Open:
		said = " not finished after " + plain.Duration(b.End-b.Begin)
	case b.Moment:
		said = " at " + plain.Duration(b.End)
	}
	room := widestLabel - utf8.RuneCountInString(said+b.Later()) - 1
	return clip(b.Name, min(longest, room)) + said
}

// Later is how long after what came before a moment was; empty for the first,
// and for what is no moment.
func (b *bar) Later() string {
	if !b.Moment || b.Open || b.Begin == 0 || b.End == b.Begin {
		return ""
	}
	return "+" + plain.Duration(b.End-b.Begin)
}

// Words are all that is known of the bar.
func (b *bar) Words() string {
	switch {
	case b.Open && b.Moment:
		return fmt.Sprintf("%s: not reached within %s", b.Name, plain.Duration(b.End))
	case b.Open:
		return fmt.Sprintf("%s: from %s on, not finished at %s", b.Name, plain.Duration(b.Begin), plain.Duration(b.End))
	case b.Moment:
		return fmt.Sprintf("%s: at %s, %s after what came before", b.Name, plain.Duration(b.End), plain.Duration(b.End-b.Begin))
	case b.Running > b.Begin:
		return fmt.Sprintf("%s: pending from %s, running from %s, finished at %s", b.Name,
			plain.Duration(b.Begin), plain.Duration(b.Running), plain.Duration(b.End))
	}
	return fmt.Sprintf("%s: from %s to %s, %s", b.Name, plain.Duration(b.Begin), plain.Duration(b.End), plain.Duration(b.End-b.Begin))
}
