package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Growth is how a style went through a growth.
type Growth struct {
	Style, Scenario string
	Levels          []Level
	Back            *Back       // nil: the operator was not restarted
	Rests           []cost.Rest // that follow: once it is restarted, and then with bystanders
	Kept            []cost.Kept // what it took the harness
}

// Level is what one custom resource more takes where so many are there.
type Level struct {
	Customs int
	More    Rate
	Floor   *Rate      // nil: the floor was not driven
	Rest    *cost.Rest // what the style uses alone; nil: it is not known
}

// Back is how an operator that was stopped came back, each round a replicate.
type Back struct {
	Customs int          // that were there
	Down    int          // that were created meanwhile
	First   stat.Summary // from its start until it has written for the first of these, in seconds
	Whole   stat.Summary // and until it has for all
	Wait    stat.Summary // from the creation of a newcomer until it has for that
	Share   stat.Summary // of the time from its creation until all is right, that a newcomer waits
}

// Growths are those that were driven, by scenario, then in the order of the styles.
func (r *Set) Growths() []Growth {
	var all []Growth
	cells := r.samplesByCell(func(s *judge.Sample) bool {
		return s.Stage != "" && s.Phase == spec.PhaseChildWritten && s.Outcome != judge.Interrupted
	})
	for _, k := range cells.Keys { // the floor is the first of the styles
		g := Growth{Style: k.label, Scenario: k.scenario, Levels: levels(cells.Of[k]), Back: backOf(cells.Of[k])}
		if i := slices.IndexFunc(all, func(o Growth) bool { return o.Scenario == k.scenario && o.Style == spec.Floor }); i >= 0 {
			g.beside(all[i])
		}
		for i := range r.Beside {
			if c := &r.Beside[i]; c.Label() == k.label {
				g.uses(c.Cost)
			}
		}
		all = append(all, g)
	}
	return all
}

func levels(samples []judge.Sample) []Level {
	more := plain.Where(samples, func(s judge.Sample) bool { return s.Stage == record.StageMore })
	byNumber := plain.Grouped(more, func(s judge.Sample) int { return s.Held })
	slices.Sort(byNumber.Keys)
	return plain.Map(byNumber.Keys, func(n int) Level { return Level{Customs: n, More: rateOf(byNumber.Of[n])} })
}

// beside puts the floor's figures there.
func (g *Growth) beside(floor Growth) {
	for i := range g.Levels {
		for j := range floor.Levels {
			if floor.Levels[j].Customs == g.Levels[i].Customs {
				g.Levels[i].Floor = &floor.Levels[j].More
			}
		}
	}
}

// uses takes up what the style uses alone.
func (g *Growth) uses(c cost.Cost) {
	for _, one := range c.Rests {
		switch i := slices.IndexFunc(g.Levels, func(l Level) bool { return l.Customs == one.Customs }); {
		case one.Load != g.Scenario:
		case one.Restarted || one.Beside != "":
			g.Rests = append(g.Rests, one)
		case i >= 0:
			g.Levels[i].Rest = &one
		}
	}
	for _, one := range c.Kept {
		if one.Load == g.Scenario {
			g.Kept = append(g.Kept, one)
		}
	}
}

// backOf is how the operator came back; nil: it was not stopped.
func backOf(samples []judge.Sample) *Back {
	back := &Back{}
	rounds := byRound(plain.Where(samples, func(s judge.Sample) bool { return s.Stage == record.StageDown || s.Stage == record.StageNewcomer }))
	var first, whole, wait, share []stat.Observation
	for _, at := range rounds.Keys {
		var started, begins, ends time.Duration
		lost, down := false, 0
		for _, s := range rounds.Of[at] {
			ends, lost = max(ends, s.At), lost || s.Outcome != judge.OK
			if s.Stage == record.StageNewcomer {
				continue
			}
			if down++; begins == 0 || s.At < begins {
				begins = s.At
			}
			started, back.Customs = s.From, s.Held
		}
		back.Down = down
		first = append(first, stat.Observation{Value: (begins - started).Seconds()})
		whole = append(whole, stat.Observation{Value: (ends - started).Seconds(), Censored: lost})
		var waits, shares []stat.Observation
		for _, s := range rounds.Of[at] {
			if s.Stage == record.StageNewcomer {
				waits = append(waits, stat.Observation{Value: s.Value, Censored: s.Outcome != judge.OK})
				shares = append(shares, stat.Observation{Value: s.Value / (ends - s.From).Seconds(), Censored: s.Outcome != judge.OK})
			}
		}
		if len(waits) > 0 {
			wait, share = append(wait, stat.Order(waits).Quantile(0.5)), append(share, stat.Order(shares).Quantile(0.5))
		}
	}
	if len(rounds.Keys) == 0 || back.Down == 0 {
		return nil
	}
	back.First, back.Whole, back.Wait, back.Share = stat.Of(first...), stat.Of(whole...), stat.Of(wait...), stat.Of(share...)
	return back
}

// Slope is how much more of a quantity a thousand custom resources more take, from the fewest to the most.
func (g *Growth) Slope(of func(*cost.Rest) cost.Figure) (slope float64, known bool) {
	var first, last *Level
	for i := range g.Levels {
		if l := &g.Levels[i]; l.Rest != nil && of(l.Rest).Known() {
			if last = l; first == nil {
				first = l
			}
		}
	}
	if first == nil || last.Customs == first.Customs {
		return 0, false
	}
	return 1000 * (of(last.Rest).Median() - of(first.Rest).Median()) / float64(last.Customs-first.Customs), true
}

// Memory and CPU are what a style uses alone.
func Memory(r *cost.Rest) cost.Figure { return r.Memory }

// CPU is the same of the processor.
func CPU(r *cost.Rest) cost.Figure { return r.CPU }

// Bystander is how much memory a thousand objects of a kind take that are not the operator's.
type Bystander struct {
	Kind   string
	Memory float64 // bytes
}

// Bystanders are those of each kind that was put there, in their order.
func (g *Growth) Bystanders() []Bystander {
	var all []Bystander
	for i := 1; i < len(g.Rests); i++ {
		was, is := &g.Rests[i-1], &g.Rests[i]
		if is.Beside != "" && is.Each > 0 && was.Memory.Known() && is.Memory.Known() {
			all = append(all, Bystander{is.Beside, 1000 * (is.Memory.Median() - was.Memory.Median()) / float64(is.Each)})
		}
	}
	return all
}

// bystanderLeast is how much memory a thousand objects take at least that an operator keeps: what is less cannot be told from
// what a process takes and gives back while it is left alone.
const bystanderLeast = 1 << 20

// Text says in a sentence what growing takes.
func (g *Growth) Text() string {
	var parts []string
	if n := len(g.Levels); n > 0 {
		first, last := &g.Levels[0], &g.Levels[n-1]
		text := fmt.Sprintf("one custom resource more takes %s where there are %d", first.More.P50, first.Customs)
		if n > 1 {
			text += fmt.Sprintf(", and %s where there are %d", last.More.P50, last.Customs)
		}
		if first.Floor != nil && last.Floor != nil {
			text += fmt.Sprintf(" (the floor %s and %s)", first.Floor.P50, last.Floor.P50)
		}
		parts = append(parts, text)
		if last.Rest != nil && last.Rest.Requests.Known() {
			parts = append(parts, fmt.Sprintf("at rest with %d it makes %s requests a minute", last.Customs, Amount("1", last.Rest.Requests.Median())))
		}
	}
	if slope, known := g.Slope(Memory); known {
		parts = append(parts, fmt.Sprintf("a thousand take %s", bytesMore(slope)))
	}
	for i := range g.Rests {
		if r := &g.Rests[i]; r.Stop.Known() {
			parts = append(parts, stopText(r.Stop.Median(), r.Grace))
		}
	}
	if b := g.Back; b != nil {
		text := fmt.Sprintf("started again with %d and %d new ones, all is right after %s", b.Customs, b.Down, b.Whole.P50)
		if b.Share.N > 0 {
			text += fmt.Sprintf(", and one that is created meanwhile waits %s, %.0f%% of the time left until then", b.Wait.P50, 100*b.Share.P50.Value)
		}
		parts = append(parts, text)
	}
	var none []string
	for _, one := range g.Bystanders() {
		if one.Memory < bystanderLeast {
			none = append(none, one.Kind)
			continue
		}
		parts = append(parts, fmt.Sprintf("a thousand %s that are not its own take %s", one.Kind, plain.Bytes(int64(one.Memory))))
	}
	if len(none) > 0 {
		kinds := strings.Replace(plain.List(none), " and ", " or ", 1)
		parts = append(parts, fmt.Sprintf("a thousand %s that are not its own take less than %s", kinds, plain.Bytes(bystanderLeast)))
	}
	return strings.Join(parts, "; ")
}

// stopText says whether an operator stops within its pods' grace period (Pod, spec.terminationGracePeriodSeconds).
func stopText(seconds float64, grace int64) string {
	if seconds >= float64(grace) {
		return fmt.Sprintf("it does not stop within the %d s that its pods have, and is killed", grace)
	}
	return fmt.Sprintf("it stops within %s of the %d s that its pods have", plain.Duration(seconds), grace)
}

// bytesMore is an amount of memory that may be less than none.
func bytesMore(bytes float64) string {
	if bytes < 0 {
		return "−" + plain.Bytes(int64(-bytes))
	}
	return plain.Bytes(int64(bytes))
}

// isGrowth reports whether a scenario is a growth in some run.
func (r *Set) isGrowth(scenario string) bool {
	return slices.ContainsFunc(r.Samples, func(s judge.Sample) bool { return s.Scenario == scenario && s.Stage != "" })
}

// growthColumns are those of a growth.
func (r *Set) growthColumns(scenario string) []Column {
	column := func(id, head, text string, of func(*Growth) Value) Column {
		return Column{scenario + "." + id, scenario + ", " + head, text, GroupMany, Less, func(label string) Value {
			all := r.Growths()
			i := slices.IndexFunc(all, func(g Growth) bool { return g.Scenario == scenario && g.Style == label })
			if i < 0 {
				return Value{}
			}
			return of(&all[i])
		}}
	}
	replicated := func(s stat.Summary, text string) Value {
		if s.N == 0 {
			return Value{}
		}
		return Value{Text: text, Number: s.P50.Value, Known: !s.P50.Censored, N: s.N, Rounds: s.N}
	}
	return []Column{
		column("more", "one more", "median time until one custom resource more is written for, where the most are there", func(g *Growth) Value {
			if len(g.Levels) == 0 {
				return Value{}
			}
			last := &g.Levels[len(g.Levels)-1]
			return Value{
				Text: last.More.P50.String(), Number: last.More.P50.Value, Known: true, N: last.More.N, Rounds: last.More.Rounds,
				Note: fmt.Sprintf("at %d", last.Customs),
			}
		}),
		r.keptColumn(scenario),
		column("memory", "memory per thousand", "memory at rest that a thousand custom resources more take", func(g *Growth) Value {
			slope, known := g.Slope(Memory)
			if !known {
				return Value{}
			}
			return Value{Text: bytesMore(slope), Number: slope, Known: true}
		}),
		column("whole", "whole again", "from the start of the operator, which was stopped, until what was created meanwhile is written for; median over rounds", func(g *Growth) Value {
			if g.Back == nil {
				return Value{}
			}
			return replicated(g.Back.Whole, g.Back.Whole.P50.String())
		}),
		column("newcomer", "newcomer", "the share of what is left of that time which a custom resource waits that is created while the operator starts", func(g *Growth) Value {
			if g.Back == nil {
				return Value{}
			}
			return replicated(g.Back.Share, fmt.Sprintf("%.0f %%", 100*g.Back.Share.P50.Value))
		}),
	}
}

// Keeps is the id of the column that says with how much memory the most custom resources of a growth are kept.
func Keeps(growth string) string { return growth + ".keeps" }

// keptColumn is that column. Its head says how many those are.
func (r *Set) keptColumn(scenario string) Column {
	most, of := 0, map[string]Value{} // by label
	for i := range r.Beside {
		c := &r.Beside[i]
		for _, rest := range c.Rests {
			m := rest.Memory
			switch {
			case rest.Load != scenario, rest.Restarted, rest.Beside != "", !m.Known(), rest.Customs < most:
				continue
			case rest.Customs > most:
				most = rest.Customs
				clear(of)
			}
			if of[c.Label()].Text == "" {
				of[c.Label()] = Value{Text: Amount(m.Unit, m.Median()), Number: m.Median(), Known: true, N: len(m.Values), Rounds: len(m.Values), Run: c.Run}
			}
		}
	}
	return Column{Keeps(scenario), fmt.Sprintf("memory at %d", most), "memory of all its pods at rest, once so many custom resources are handled", GroupMany, Less, func(label string) Value { return of[label] }}
}
