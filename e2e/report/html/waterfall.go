package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// bar is one stretch of time of a reconcile. Its times are seconds since the
// intent.
type bar struct {
	Name       string
	Begin, End float64
	// Running is when what was pending ran; it is Begin where that is not known.
	Running float64
	Open    bool // it had not ended when waiting did
	Moment  bool // only its end is known: it has no beginning of its own
}

// bars are the phases of a sample: those that every style has, or a style's inner
// ones. Those called "<step> pending", "<step> running" (or "<step> started") and
// "<step> finished" make one bar; any other is a moment, which began when what
// was before it ended.
func bars(samples []judge.Sample, inner bool) []bar {
	steps := map[string]*step{}
	var order []*step
	for _, s := range samples {
		if !drawable(s) || spec.Inner(s.Phase) != inner {
			continue
		}
		name, word := splitPhase(s.Phase)
		if steps[name] == nil {
			steps[name] = &step{name: name, at: map[string]judge.Sample{}}
			order = append(order, steps[name])
		}
		steps[name].at[word] = s
	}
	var all []bar
	for _, one := range order {
		all = append(all, one.bars()...)
	}
	slices.SortStableFunc(all, func(a, b bar) int { return cmp.Compare(a.End, b.End) })
	var last float64
	for i := range all {
		if all[i].Moment {
			all[i].Begin = min(last, all[i].End)
			all[i].Running = all[i].Begin
		}
		if !all[i].Open {
			last = max(last, all[i].End)
		}
	}
	slices.SortStableFunc(all, func(a, b bar) int { return cmp.Compare(a.Begin, b.Begin) })
	return all
}

// drawable tells whether it is known when a phase was, or how long it was
// waited for.
func drawable(s judge.Sample) bool {
	return s.Outcome != judge.Interrupted && s.Value >= 0 && s.Value <= greatest
}

// The last words of the inner phases that belong to one step.
const (
	pending  = "pending"
	started  = "started"
	running  = "running"
	finished = "finished"
)

// step is a step by the last words of its phases' names.
type step struct {
	name string
	at   map[string]judge.Sample
}

// splitPhase parts a phase's name into its step and its last word; the word is
// empty where the name does not tell of a step.
func splitPhase(phase string) (name, word string) {
	if i := strings.LastIndex(phase, " "); i >= 0 && slices.Contains([]string{pending, started, running, finished}, phase[i+1:]) {
		return phase[:i], phase[i+1:]
	}
	return phase, ""
}

// bars are the step's: one where its beginning is known, else its moments.
func (s *step) bars() []bar {
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
		var moments []bar
		for _, word := range []string{"", pending, started, running, finished} {
			if sample, there := s.at[word]; there {
				moments = append(moments, bar{Name: sample.Phase, End: sample.Value, Open: sample.Outcome == judge.Timeout, Moment: true})
			}
		}
		return moments
	}
	if at, there := reached(running); there {
		one.Running = at
	}
	last := s.at[finished] // zero where it is not known
	one.End, one.Open = max(last.Value, one.Running), last.Outcome == judge.Timeout
	return []bar{one}
}

// Ended says when the bar ended.
func (b *bar) Ended() string {
	switch {
	case b.Open && b.Moment:
		return "not within " + plain.Duration(b.End)
	case b.Open:
		return "not finished at " + plain.Duration(b.End)
	}
	return plain.Duration(b.End)
}

// Took says how long it took, and how much of that it was pending; of a moment,
// how long after what came before it was.
func (b *bar) Took() string {
	switch {
	case b.Open || b.Moment && b.Begin == 0:
		return ""
	case b.Moment:
		return "+" + plain.Duration(b.End-b.Begin)
	case b.Running > b.Begin:
		return plain.Duration(b.End-b.Begin) + " (" + plain.Duration(b.Running-b.Begin) + " pending)"
	}
	return plain.Duration(b.End - b.Begin)
}

// waterfall is where the time of one sample went: a row for each phase, with a bar
// on a linear axis of its own.
type waterfall struct {
	ID     string
	Cell   *cell
	Open   bool     // it is of the main scenario
	Why    string   // why this sample
	Sum    []string // sentences: what takes the most time
	Groups []barGroup
}

// barGroup are bars under one heading.
type barGroup struct {
	Title string
	Bars  []placedBar
}

// placedBar is a bar in its place: percent, the part that was pending too.
type placedBar struct {
	bar
	X, Wait, Width string // Wait: empty where it was not pending
}

// waterfall draws the typical sample of a cell; nil: it has none.
func (s *study) waterfall(c *cell) *waterfall {
	result, median := c.typical()
	if result == nil {
		return nil
	}
	w := &waterfall{ID: "waterfall-" + slug(c.Scenario), Cell: c, Open: c.Scenario == s.Headline(), Why: "no latency counts here; this is its first sample"}
	goal := ""
	if _, ready := c.outcome(); ready != nil {
		goal = ready.Phase
		if median {
			w.Why = fmt.Sprintf("the median of %s by when the %s", plain.Plural(ready.N, "sample"), inWords(s.Child(), goal))
		}
	}
	if i := slices.IndexFunc(result.Samples, drawable); i >= 0 {
		w.Why = s.round(&result.Samples[i]) + ": " + w.Why
	}
	outer, inner := bars(result.Samples, false), bars(result.Samples, true)
	w.Sum = sums(s.Child(), outer, inner, goal)
	end := least
	for _, b := range slices.Concat(outer, inner) {
		end = max(end, b.End)
	}
	for _, g := range []struct {
		title string
		bars  []bar
	}{{"Seen from outside", outer}, {"Inside " + c.Style.Label, inner}} {
		drawn := barGroup{Title: g.title}
		for _, b := range g.bars {
			one := placedBar{bar: b, X: place(100 * b.Begin / end), Width: place(100 * (b.End - b.Begin) / end)}
			if b.Running > b.Begin {
				one.Wait = place(100 * (b.Running - b.Begin) / end)
			}
			drawn.Bars = append(drawn.Bars, one)
		}
		if len(drawn.Bars) > 0 {
			w.Groups = append(w.Groups, drawn)
		}
	}
	return w
}

// sums say in words what takes the most time until the goal.
func sums(child string, outer, inner []bar, goal string) []string {
	at := slices.IndexFunc(outer, func(b bar) bool { return b.Name == goal })
	if at < 0 {
		return nil
	}
	if outer[at].Open {
		return []string{fmt.Sprintf("It was not %s within %s.", goal, plain.Duration(outer[at].End))}
	}
	total := outer[at].End
	longest := slices.MaxFunc(outer[:at+1], func(a, b bar) int { return cmp.Compare(a.End-a.Begin, b.End-b.Begin) })
	took := longest.End - longest.Begin
	var sentences []string
	if total > 0 {
		sentences = append(sentences, fmt.Sprintf("Of %s until %s, %s (%s) pass before the %s.",
			plain.Duration(total), goal, plain.Duration(took), percent(took/total), inWords(child, longest.Name)))
	}
	if busy, steps := covered(inner, total); steps > 0 && total > 0 {
		sentences = append(sentences, fmt.Sprintf("%s: %s (%s) of it.", plain.Plural(steps, "inner step"), plain.Duration(busy), percent(busy/total)))
	}
	return sentences
}

// covered is how much of the time until an end is filled by steps, and by how
// many; where they overlap, the time counts once.
func covered(bars []bar, until float64) (seconds float64, steps int) {
	var last float64
	for _, b := range bars { // in the order in which they began
		if b.Moment || b.Begin >= until {
			continue
		}
		steps++
		from, to := max(b.Begin, last), min(b.End, until)
		if to > from {
			seconds += to - from
			last = to
		}
	}
	return seconds, steps
}
