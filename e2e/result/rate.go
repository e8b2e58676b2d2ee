package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Rate is how a style kept up with a load.
type Rate struct {
	Style, Scenario string
	N, Rounds       int
	Lost            int     // that were not written in time, or wrong
	Sent            float64 // how many were due in a second; 0: all at once
	Done            float64 // how many were written in a second, from the first until the last
	P50, P99, Max   stat.Observation
	First, Last     float64       // p50 of the third that was due first, and of the third that was due last, in seconds
	Late            time.Duration // p99 of how late the harness sent
}

// A queue grows where the last are so much later than the first, and by more than a machine's noise.
const (
	growsBy    = 2
	growsLeast = 0.25 // seconds
	lateShare  = 0.1  // of the median: so late, the harness is in the figure
)

// Grows reports whether those that came last waited longer than those that came first.
func (r *Rate) Grows() bool {
	return r.Sent > 0 && r.Last > growsBy*r.First && r.Last-r.First > growsLeast
}

// Held reports whether the style kept up.
func (r *Rate) Held() bool { return r.Sent > 0 && r.Lost == 0 && !r.Grows() }

// Short says so in a word or two.
func (r *Rate) Short() string {
	lost := fmt.Sprintf("%d lost", r.Lost)
	switch {
	case r.Held():
		return "yes"
	case r.Lost > 0 && r.Sent > 0:
		return "no: " + lost
	case r.Sent > 0:
		return "no: its queue grows"
	case r.Lost > 0:
		return lost
	}
	return "nothing lost"
}

// Text says so in a sentence.
func (r *Rate) Text() string {
	var parts []string
	switch sent := plain.Digits(r.Sent) + " changes a second"; {
	case r.Sent == 0:
		parts = append(parts, fmt.Sprintf("writes %s of %d that come at once", plain.Digits(r.Done)+" changes a second", r.N/r.Rounds))
	case r.Held():
		parts = append(parts, "holds "+sent)
	case r.Grows():
		parts = append(parts, fmt.Sprintf("at %s its queue grows: the first third waited %s, the last %s", sent, plain.Duration(r.First), plain.Duration(r.Last)))
	default:
		parts = append(parts, "at "+sent+" some are not written in time")
	}
	if r.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d not written in time", r.Lost, r.N))
	} else {
		parts = append(parts, "all written in time")
	}
	if r.Late.Seconds() > lateShare*r.P50.Value {
		parts = append(parts, "the harness itself sent up to "+plain.Duration(r.Late.Seconds())+" late")
	}
	return strings.Join(parts, "; ")
}

// tail is its p99, or its maximum where there are too few for an interval of one.
func (r *Rate) tail() stat.Observation {
	if r.N < stat.Needed(0.99) {
		return r.Max
	}
	return r.P99
}

// tailText says what tail is.
var tailText = "the same, its p99, or its maximum where there are fewer than " + strconv.Itoa(stat.Needed(0.99))

// observed is one of its latencies; nothing where none is known.
func (r *Rate) observed(o stat.Observation) Value {
	if r.N == 0 {
		return Value{}
	}
	return observed("s", o, r.N, r.Rounds)
}

// RateColumns are the figures of a style in a load.
func RateColumns() []ColumnOf[Rate] {
	const due = "from when a change was due until it was written"
	return []ColumnOf[Rate]{
		{"load", "", true, func(r Rate) Value { return Value{Text: r.Scenario} }},
		{"style", "", true, func(r Rate) Value { return Value{Text: r.Style} }},
		{"n", "changes", false, func(r Rate) Value { return whole(r.N) }},
		{"due/s", "changes that were due", false, func(r Rate) Value {
			if r.Sent == 0 {
				return Value{Text: "at once"}
			}
			return perSecond(r.Sent)
		}},
		{"written/s", "changes that were written, from the first that was due until the last", false, func(r Rate) Value { return perSecond(r.Done) }},
		{"p50", "median " + due, false, func(r Rate) Value { return r.observed(r.P50) }},
		{"p99", tailText, false, func(r Rate) Value { return r.observed(r.tail()) }},
		{"harness late p99", "how much later than it was due the harness sent a change", false, func(r Rate) Value {
			if r.Late == 0 { // older recordings do not say
				return Value{}
			}
			return r.observed(stat.Observation{Value: r.Late.Seconds()})
		}},
		{"held", "whether the style kept up", true, func(r Rate) Value { return Value{Text: r.Short(), Outcome: lost(r.Lost).Outcome} }},
	}
}

// lost is how many were not written in time, or wrong.
func lost(n int) Value {
	v := whole(n)
	if n > 0 {
		v.Outcome = spec.Late
	}
	return v
}

// perSecond is a rate of a figure that is measured, with three digits.
func perSecond(rate float64) Value { return Value{Text: plain.Digits(rate), Number: rate, Known: true} }

// Rates are those of all loads that were driven, by run, by load, then in the order of the styles.
func (r *Set) Rates() []Rate { return plain.Flat(r.Tables(), (*Set).rates) }

func (r *Set) rates() []Rate {
	all := r.samplesByCell(func(s *judge.Sample) bool {
		return !s.Warmup && (s.Phase == spec.PhaseChildWritten || s.Phase == spec.PhaseChildGone) && r.IsLoad(s.Scenario) && s.Outcome != judge.Interrupted && s.Rate == 0 && s.Stage == ""
	})
	return plain.Map(all.Keys, func(k key) Rate {
		rate := rateOf(all.Of[k])
		rate.Scenario, rate.Style = k.scenario, k.label
		return rate
	})
}

// samplesByCell groups the samples that count by style and scenario: by scenario, then in the order of the styles.
func (r *Set) samplesByCell(counts func(*judge.Sample) bool) (all plain.Groups[key, judge.Sample]) {
	for _, s := range r.Samples {
		if counts(&s) {
			all.Add(key{record.Label(s.Operator, s.Variant), s.Scenario}, s)
		}
	}
	slices.SortStableFunc(all.Keys, r.compare)
	return all
}

// compare orders by scenario, then as the styles are.
func (r *Set) compare(a, b key) int {
	return cmp.Or(slices.Index(r.Scenarios, a.scenario)-slices.Index(r.Scenarios, b.scenario), slices.Index(r.Styles, a.label)-slices.Index(r.Styles, b.label))
}

// byRound groups samples by their rounds.
func byRound(samples []judge.Sample) plain.Groups[stat.Round, judge.Sample] {
	return plain.Grouped(samples, func(s judge.Sample) stat.Round { return stat.Round{Run: s.Run, Block: s.Block} })
}

// rateOf is that of a style in a load. Rounds are put together, each from its first due step on.
func rateOf(samples []judge.Sample) Rate {
	rounds := byRound(samples).Of
	one := Rate{N: len(samples), Rounds: len(rounds)}
	var all, first, last, late []stat.Observation
	var due, took time.Duration
	written := 0
	for _, in := range rounds {
		slices.SortFunc(in, func(a, b judge.Sample) int { return cmp.Compare(a.From, b.From) })
		due += in[len(in)-1].From - in[0].From
		end := in[0].From
		for i, s := range in {
			seen := stat.Observation{Value: s.Value, Censored: s.Outcome != judge.OK}
			all, late = append(all, seen), append(late, stat.Observation{Value: s.Late.Seconds()})
			switch third := len(in) / 3; {
			case i < third:
				first = append(first, seen)
			case i >= len(in)-third:
				last = append(last, seen)
			}
			if seen.Censored {
				one.Lost++
				continue
			}
			end, written = max(end, s.At), written+1
		}
		took += end - in[0].From
	}
	if due > 0 {
		one.Sent = float64(len(samples)-len(rounds)) / due.Seconds()
	}
	if took > 0 {
		one.Done = float64(written) / took.Seconds()
	}
	ordered := stat.Order(all)
	one.P50, one.P99 = ordered.Quantile(0.5), ordered.Quantile(0.99)
	one.Max = ordered.Max()
	one.Late = time.Duration(stat.Order(late).Quantile(0.99).Value * float64(time.Second))
	if len(first) > 0 {
		one.First, one.Last = stat.Order(first).Quantile(0.5).Value, stat.Order(last).Quantile(0.5).Value
	}
	return one
}
