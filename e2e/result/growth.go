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
	Of, Lost        int         // what came after the last level, and how many of that were late or wrong: it was driven no further
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
	First   stat.Summary // seconds from its start until it has written for the first of these
	Whole   stat.Summary // seconds until it has written for all of these
	Wait    stat.Summary // seconds that a newcomer waits, which was created before then
	Share   stat.Summary // that wait, of the time from the newcomer's creation until it has written for these and for it
}

// Growths are those that were driven, by run, by scenario, then in the order of the styles.
func (r *Set) Growths() []Growth { return plain.Flat(r.Tables(), (*Set).growths) }

func (r *Set) growths() []Growth {
	var all []Growth
	cells := r.samplesByCell(func(s *judge.Sample) bool {
		return s.Stage != "" && s.Phase == spec.PhaseChildWritten && s.Outcome != judge.Interrupted
	})
	for _, k := range cells.Keys { // the floor is the first of the styles
		g := Growth{Style: k.label, Scenario: k.scenario, Levels: levels(k.label, cells.Of[k]), Back: backOf(cells.Of[k])}
		g.Of, g.Lost = short(cells.Of[k])
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

func levels(style string, samples []judge.Sample) []Level {
	more := plain.Where(samples, func(s judge.Sample) bool { return s.Stage == record.StageMore })
	byNumber := plain.Grouped(more, func(s judge.Sample) int { return s.Held })
	slices.Sort(byNumber.Keys)
	return plain.Map(byNumber.Keys, func(n int) Level {
		level := Level{Customs: n, More: rateOf(byNumber.Of[n])}
		level.More.Style = style
		return level
	})
}

// short is how many custom resources came after the last number at which more was measured, and how many of them were
// late or wrong.
func short(samples []judge.Sample) (of, lost int) {
	furthest := -1
	for _, s := range samples {
		if s.Stage == record.StageMore {
			furthest = max(furthest, s.Held)
		}
	}
	for _, s := range samples {
		if s.Stage == record.StageFill && s.Held > furthest {
			if of++; s.Outcome != judge.OK {
				lost++
			}
		}
	}
	return of, lost
}

// beside puts the floor's figures there.
func (g *Growth) beside(floor Growth) {
	for i := range g.Levels {
		if k := slices.IndexFunc(floor.Levels, func(l Level) bool { return l.Customs == g.Levels[i].Customs }); k >= 0 {
			g.Levels[i].Floor = &floor.Levels[k].More
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
	g.Kept = append(g.Kept, plain.Where(c.Kept, func(k cost.Kept) bool { return k.Load == g.Scenario })...)
}

// backOf is how the operator came back; nil: it was not stopped.
func backOf(samples []judge.Sample) *Back {
	back := &Back{}
	rounds := byRound(plain.Where(samples, func(s judge.Sample) bool { return s.Stage == record.StageDown || s.Stage == record.StageNewcomer }))
	var first, whole, wait, share []stat.Observation
	for _, at := range rounds.Keys {
		var started, begins, ends time.Duration
		lost, none, down := false, true, 0
		for _, s := range rounds.Of[at] {
			if s.Stage == record.StageNewcomer {
				continue
			}
			ends, lost = max(ends, s.At), lost || s.Outcome != judge.OK
			right := s.Outcome == judge.OK
			if down++; begins == 0 || right && (none || s.At < begins) {
				begins = s.At
			}
			none = none && !right
			started, back.Customs = s.From, s.Held
		}
		back.Down = down
		first = append(first, stat.Observation{Value: (begins - started).Seconds(), Censored: none})
		whole = append(whole, stat.Observation{Value: (ends - started).Seconds(), Censored: lost})
		var waits, shares []stat.Observation
		for _, s := range rounds.Of[at] {
			if s.Stage == record.StageNewcomer && s.From < ends { // else nothing was there to wait for
				waits = append(waits, stat.Observation{Value: s.Value, Censored: s.Outcome != judge.OK})
				shares = append(shares, stat.Observation{Value: s.Value / (max(ends, s.At) - s.From).Seconds(), Censored: s.Outcome != judge.OK})
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

// Slope is how much more memory a thousand custom resources more take at rest, from the fewest to the most. Of fewer than
// a thousand it is not known: what they take need not go on.
func (g *Growth) Slope() (slope float64, known bool) {
	held := plain.Where(g.Levels, func(l Level) bool { return l.Rest != nil && l.Rest.Memory.Known() })
	if len(held) == 0 || held[len(held)-1].Customs-held[0].Customs < 1000 {
		return 0, false
	}
	first, last := held[0], held[len(held)-1]
	return 1000 * (last.Rest.Memory.Median() - first.Rest.Memory.Median()) / float64(last.Customs-first.Customs), true
}

// bystanderLeast is how much memory a thousand objects take at least that an operator keeps: what is less cannot be
// told from what a process takes and gives back while it is left alone.
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
	if g.Lost > 0 {
		parts = append(parts, fmt.Sprintf("of %d that came then %d were late or wrong, so that it was driven no further", g.Of, g.Lost))
	}
	if slope, known := g.Slope(); known {
		parts = append(parts, fmt.Sprintf("a thousand take %s", bytesMore(slope)))
	}
	for i := range g.Rests {
		if r := &g.Rests[i]; r.Stop.Known() {
			parts = append(parts, stopText(r.Stop.Median(), r.Grace))
		}
	}
	if b := g.Back; b != nil {
		text := fmt.Sprintf("started again with %d and %d new ones, these are written after %s", b.Customs, b.Down, b.Whole.P50)
		if b.Share.N > 0 {
			text += fmt.Sprintf(", and one that is created meanwhile waits %s, %.0f%% of the time left until then", b.Wait.P50, 100*b.Share.P50.Value)
		}
		parts = append(parts, text)
	}
	return strings.Join(append(parts, g.bystanders()...), "; ")
}

// bystanders say how much memory a thousand objects of each kind take that are not the operator's, in their order.
func (g *Growth) bystanders() []string {
	var parts, none []string
	for i := 1; i < len(g.Rests); i++ {
		was, is := &g.Rests[i-1], &g.Rests[i]
		if is.Beside == "" || is.Each == 0 || !was.Memory.Known() || !is.Memory.Known() {
			continue
		}
		if bytes := 1000 * (is.Memory.Median() - was.Memory.Median()) / float64(is.Each); bytes >= bystanderLeast {
			parts = append(parts, fmt.Sprintf("a thousand %s that are not its own take %s", is.Beside, plain.Bytes(int64(bytes))))
		} else {
			none = append(none, is.Beside)
		}
	}
	if len(none) > 0 {
		kinds := strings.Replace(plain.List(none), " and ", " or ", 1)
		parts = append(parts, fmt.Sprintf("a thousand %s that are not its own take less than %s", kinds, plain.Bytes(bystanderLeast)))
	}
	return parts
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
	cells := r.Of(scenario)
	return len(cells) > 0 && cells[0].Results[0].Stage != ""
}

// LevelColumns are the figures that say what one custom resource more takes.
func LevelColumns() []ColumnOf[*Level] {
	floor := func(of func(*Rate) stat.Observation) func(*Level) Value {
		return func(l *Level) Value {
			if l.Floor == nil {
				return Value{}
			}
			return l.Floor.observed(of(l.Floor))
		}
	}
	rest := func(head, unit, text string, of func(*cost.Rest) cost.Figure) ColumnOf[*Level] {
		return ColumnOf[*Level]{head, text, false, func(l *Level) Value {
			if l.Rest == nil || !of(l.Rest).Known() {
				return Value{}
			}
			f := of(l.Rest)
			return observed(unit, stat.Observation{Value: f.Median()}, len(f.Values), len(f.Values))
		}}
	}
	const one = "from when one more was due until its main child is written"
	return []ColumnOf[*Level]{
		{"style", "", true, func(l *Level) Value { return Value{Text: l.More.Style} }},
		{"there", "custom resources that are there", false, func(l *Level) Value { return whole(l.Customs) }},
		{"n", "custom resources more", false, func(l *Level) Value { return whole(l.More.N) }},
		{"p50", "median " + one, false, func(l *Level) Value { return l.More.observed(l.More.P50) }},
		{"p99", tailText, false, func(l *Level) Value { return l.More.observed(l.More.tail()) }},
		{"floor p50", "the floor's median", false, floor(func(r *Rate) stat.Observation { return r.P50 })},
		{"floor p99", "the floor's p99", false, floor((*Rate).tail)},
		{"lost", "of these, late or wrong", false, func(l *Level) Value { return lost(l.More.Lost) }},
		rest("memory", "bytes", "of all pods of the operator, while nothing is asked of it", func(r *cost.Rest) cost.Figure { return r.Memory }),
		rest("CPU", "cores", "the same", func(r *cost.Rest) cost.Figure { return r.CPU }),
		rest("req/min", "1", "their requests to the API server meanwhile, in a minute, those for leases left out", func(r *cost.Rest) cost.Figure { return r.Requests }),
	}
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
	back := func(unit string, of func(*Back) stat.Summary) func(*Growth) Value {
		return func(g *Growth) Value {
			if g.Back == nil || of(g.Back).N == 0 {
				return Value{}
			}
			return overRounds(unit, of(g.Back))
		}
	}
	return []Column{
		column("more", "one more", "median time until one custom resource more is written for, where the most are there", func(g *Growth) Value {
			if len(g.Levels) == 0 {
				return Value{}
			}
			last := &g.Levels[len(g.Levels)-1]
			v := last.More.observed(last.More.P50)
			v.Note = fmt.Sprintf("at %d", last.Customs)
			return v
		}),
		r.keptColumn(scenario),
		column("memory", "memory per thousand", "memory at rest that a thousand custom resources more take", func(g *Growth) Value {
			slope, known := g.Slope()
			if !known {
				return Value{}
			}
			return Value{Text: bytesMore(slope), Number: slope, Known: true}
		}),
		column("whole", "whole again", "from the start of the operator, which was stopped, until what was created meanwhile is written for; median over rounds",
			back("s", func(b *Back) stat.Summary { return b.Whole })),
		column("newcomer", "newcomer", "how much of the time left a custom resource waits that is created meanwhile",
			back("share", func(b *Back) stat.Summary { return b.Share })),
	}
}

// overRounds is the median of a figure over its rounds, with its interval, or with all that was seen if the rounds are too few.
func overRounds(unit string, s stat.Summary) Value {
	v := measured(unit, s, s.P50, s.CI50)
	if v.Known = s.N > 0 && !s.P50.Censored; s.N > 0 && s.CI50 == nil {
		v.Note = strings.TrimSuffix(bounds(nil, s.Ordered.At(1), s.Max, func(o stat.Observation) string { return shown(unit, o) }), ", ")
	}
	return v
}

// BackColumns are the figures of an operator that was stopped, and started again.
func BackColumns() []ColumnOf[*Growth] {
	back := func(head, unit, text string, of func(*Back) stat.Summary) ColumnOf[*Growth] {
		return ColumnOf[*Growth]{head, text, false, func(g *Growth) Value { return overRounds(unit, of(g.Back)) }}
	}
	return []ColumnOf[*Growth]{
		{"style", "", true, func(g *Growth) Value { return Value{Text: g.Style} }},
		{"rounds", "", false, func(g *Growth) Value { return whole(g.Back.Whole.N) }},
		{"there", "custom resources that are there", false, func(g *Growth) Value { return whole(g.Back.Customs) }},
		{"new", "those that were created while it was stopped", false, func(g *Growth) Value { return whole(g.Back.Down) }},
		back("first", "s", "from its start until it has written for one of these; figures are medians over rounds with their 95% intervals, or with the least and the most seen in fewer than six rounds",
			func(b *Back) stat.Summary { return b.First }),
		back("whole", "s", "until it has for all", func(b *Back) stat.Summary { return b.Whole }),
		back("newcomer", "s", "how long a custom resource waits that is created before that", func(b *Back) stat.Summary { return b.Wait }),
		back("share", "share", "its wait, as a share of the time from its creation until all are written", func(b *Back) stat.Summary { return b.Share }),
	}
}

// Keeps is the id of the column that says with how much memory the custom resources of a growth are kept.
func Keeps(growth string) string { return growth + ".keeps" }

// keptColumn is that column. Its head says how many those are: the most that half of the styles have.
func (r *Set) keptColumn(scenario string) Column {
	kept, styles, most := map[int]map[string]Value{}, 0, 0 // by how many there are, then by label
	for i := range r.Beside {
		c := &r.Beside[i]
		for _, rest := range c.Rests {
			m, of := rest.Memory, kept[rest.Customs]
			if rest.Load != scenario || rest.Restarted || rest.Beside != "" || !m.Known() || of[c.Label()].Known {
				continue
			}
			if of == nil {
				of = map[string]Value{}
				kept[rest.Customs] = of
			}
			v := observed(m.Unit, stat.Observation{Value: m.Median()}, len(m.Values), len(m.Values))
			v.Run = c.Run
			of[c.Label()] = v
			styles = max(styles, len(of))
		}
	}
	for n, of := range kept {
		if n > most && 2*len(of) >= styles {
			most = n
		}
	}
	return Column{
		Keeps(scenario), fmt.Sprintf("%s, memory at %d", scenario, most), "memory of all its pods at rest, once so many custom resources are handled", GroupMany, Less,
		func(label string) Value { return kept[most][label] },
	}
}
