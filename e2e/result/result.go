// Package result adds up: what oracles found in samples, and how long these took,
// becomes cells with outcomes, intervals and the floor beside them. It is the only
// place that does; all formats print what stands here, and gates compare it.
package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/spec/workloads"
	"operatorbench/e2e/stat"
)

// Set is what recordings add up to. Verdicts count over all recordings. Latencies and costs are those of one run, as
// rounds of two runs differ by more than rounds of one do: see Tables.
type Set struct {
	Runs        []string
	Environment *record.Environment // of the run with latencies; nil: not known, or there are several such runs
	Warnings    []string
	LeftOut     []string // recordings that could not be read, with why; they are among the warnings
	// Styles are labels (record.Label): the floor first, then in the order of
	// the recordings' headers, whatever order chance gave to the rounds.
	Styles    []string
	Scenarios []string // that were measured, in order of appearance
	Cells     []*Cell  // by run, then by scenario, then by style
	Samples   []judge.Sample
	Costs     []Cost // of styles that were measured, by recording, then by style
	// Beside are those of all styles: loads and the correctness matrix tell of cold starts, the
	// memory of many custom resources, passes without a change.
	Beside []Cost
	// Matrix has all scenarios that styles were driven through, those that were measured too, without the floor.
	Matrix *Matrix
	Grants []grants.Use // by style, over all recordings

	Parts    []Part                       // by recording
	climbed  []Climb                      // of ramps whose samples are not here
	tables   []*Set                       // see Tables; empty: the Set itself is the only one
	expected map[string]verdicts.Expected // by style; one that is not here: not known
}

// Part is what is kept of a recording: its judgement's memory can go.
type Part struct {
	Environment *record.Environment
	Header      record.Header
	Samples     []judge.Sample // of Set.Samples
	Published   bool           // its recording is in the repository's history
}

// Child is the kind of the main child that the styles make; "child" where runs have several.
func (r *Set) Child() string {
	kind := ""
	for i := range r.Parts {
		w, err := workloads.Recorded(r.Parts[i].Header.Workload)
		if err != nil || kind != "" && w.Main().Kind != kind {
			return "child"
		}
		kind = w.Main().Kind
	}
	return kind
}

// Recording is what is known of one recording. Only the judgement is needed.
type Recording struct {
	Environment *record.Environment
	Judgement   *judge.Judgement
	Costs       []cost.Cost // none: not computed
	Grants      []grants.Use
	Restarts    []restarts.Block // by style and round; of a load another one
	Climbs      []Climb          // of ramps whose samples are not in Judgement: those of a published run
	Published   bool             // it is what the recording of a published run was judged to
	// Expected are the verdicts that are expected of styles, by their names, as verdicts.Load gives them for every
	// style that was driven. Of a style that is not here nothing is known, and no verdict is called as expected or not.
	Expected map[string]verdicts.Expected
}

// New adds up judged recordings of one environment, which may be nil where it is not known.
func New(environment *record.Environment, judgements ...*judge.Judgement) *Set {
	recordings := plain.Map(judgements, func(j *judge.Judgement) Recording { return Recording{Environment: environment, Judgement: j} })
	return Of(recordings...)
}

// Of adds up recordings.
func Of(recordings ...Recording) *Set {
	r := &Set{
		Samples: make([]judge.Sample, 0, samplesOf(recordings)), Matrix: ofMatrix(recordings),
		Grants:   grants.Join(plain.Flat(recordings, func(one Recording) []grants.Use { return one.Grants })...),
		expected: map[string]verdicts.Expected{}, Warnings: twice(recordings),
	}
	for _, one := range recordings {
		maps.Copy(r.expected, one.Expected)
		r.Runs = append(r.Runs, one.Judgement.Header.Run)
		r.Warnings = append(r.Warnings, one.warnings(len(recordings) > 1)...)
	}
	for _, one := range recordings {
		t := &Set{Runs: []string{one.Judgement.Header.Run}, Environment: one.Environment, Matrix: r.Matrix, Grants: r.Grants, expected: r.expected, climbed: one.Climbs}
		first := len(r.Samples)
		t.Cells, r.Samples = one.cells(r.Samples)
		t.Samples = r.Samples[first:len(r.Samples):len(r.Samples)]
		r.Parts = append(r.Parts, Part{Environment: one.Environment, Header: one.Judgement.Header, Samples: t.Samples, Published: one.Published})
		t.complete(one)
		r.join(t)
	}
	for _, t := range r.tables {
		t.Parts = r.Parts
	}
	if len(r.tables) == 1 || len(recordings) == 1 {
		r.Environment, r.tables = r.environment(), nil
	}
	r.Styles = r.order(r.Matrix.Labels())
	return r
}

// cells adds up a recording's samples that were not made for the matrix alone: there others overlap
// with them, and their latencies are no measurement. The samples are appended to those given.
func (r Recording) cells(samples []judge.Sample) ([]*Cell, []judge.Sample) {
	var cells Cells
	first, run := len(samples), r.Judgement.Header.Run
	for _, result := range r.Judgement.Results {
		if result.Matrix {
			continue
		}
		from := len(samples)
		samples = append(samples, result.Samples...)
		result.Samples = samples[from:len(samples):len(samples)]
		cells.Add(run, result)
	}
	// Those of a ramp or a growth are summed up by its steps: here are latencies of one rate and number.
	single := plain.Where(samples[first:], func(s judge.Sample) bool { return s.Rate == 0 && s.Stage == "" })
	for _, s := range stat.Summarize(slices.Values(single)) {
		c := cells.at[key{record.Label(s.Operator, s.Variant), s.Scenario}]
		c.Phases = append(c.Phases, s)
	}
	for _, c := range cells.all {
		c.Run = run
	}
	return cells.Sum(), samples
}

// complete adds what is known once a run's cells are there.
func (r *Set) complete(one Recording) {
	besideFloor(r.Cells)
	for _, c := range r.Cells {
		r.Scenarios = plain.Once(r.Scenarios, c.Scenario)
	}
	r.Parts = []Part{{Environment: one.Environment, Header: one.Judgement.Header}}
	r.Styles = r.order(nil)
	slices.SortStableFunc(r.Cells, func(a, b *Cell) int { return r.compare(key{a.Style.Label, a.Scenario}, key{b.Style.Label, b.Scenario}) })
	r.costs(one)
}

// join takes over a run's cells and costs. A run that measured something is a table.
func (r *Set) join(t *Set) {
	r.Scenarios = plain.Once(r.Scenarios, t.Scenarios...)
	r.Cells, r.Costs, r.Beside = append(r.Cells, t.Cells...), append(r.Costs, t.Costs...), append(r.Beside, t.Beside...)
	r.climbed = append(r.climbed, t.climbed...)
	if slices.ContainsFunc(t.Cells, (*Cell).Measured) {
		r.tables = append(r.tables, t)
	}
}

// Tables are the runs that have latencies, each by itself, in the order in which they were given: ranks,
// ratios and costs compare within one of them alone. What styles do right, and what they are made of, each
// knows from all recordings. If at most one run has latencies, it is the Set itself.
func (r *Set) Tables() []*Set {
	if len(r.tables) == 0 {
		return []*Set{r}
	}
	return r.tables
}

// environment is that of the only run with latencies, or of the only recording; nil: there is none.
func (r *Set) environment() *record.Environment {
	if len(r.tables) == 1 {
		return r.tables[0].Environment
	}
	return r.Parts[0].Environment
}

// warnings are a recording's, with its name where there are several.
func (r Recording) warnings(several bool) []string {
	all := slices.Clone(r.Judgement.Warnings)
	if e := r.Environment; e != nil && e.Undriven != "" {
		all = append(all, e.Undriven)
	}
	for i := range all {
		if several {
			all[i] = "run " + r.Judgement.Header.Run + ": " + all[i]
		}
	}
	return all
}

// twice warns of a run that was given more than once: each of its samples would count as often.
func twice(recordings []Recording) []string {
	runs := plain.Grouped(recordings, func(one Recording) string { return one.Judgement.Header.Run })
	return plain.Pick(runs.Keys, func(run string) (string, bool) {
		return "run " + run + " was given more than once: its verdicts count more than once", run != "" && len(runs.Of[run]) > 1
	})
}

// LeaveOut says of a recording, which belongs to the report, that it could not be read.
func (r *Set) LeaveOut(why string) {
	r.LeftOut, r.Warnings = append(r.LeftOut, why), append(r.Warnings, why)
}

// samplesOf is how many samples there are in all.
func samplesOf(recordings []Recording) int {
	return plain.Sum(recordings, func(one Recording) int {
		return plain.Sum(one.Judgement.Results, func(r judge.Result) int { return len(r.Samples) })
	})
}

// order lists the labels of all that was driven: the floor's first, then as the
// headers list them, then those that no header has.
func (r *Set) order(judged []string) []string {
	listed := plain.Flat(r.Parts, func(one Part) []string {
		return plain.Map(one.Header.Styles, func(s record.Style) string { return record.Label(s.Name, s.Variant) })
	})
	driven := slices.Concat(judged, plain.Map(r.Cells, func(c *Cell) string { return c.Style.Label }))
	floors := plain.Pick(r.Cells, func(c *Cell) (string, bool) { return c.Style.Label, c.IsFloor() })
	all := plain.Where(slices.Concat(floors, listed, driven), func(label string) bool { return slices.Contains(driven, label) })
	return plain.Once(nil, all...)
}

// Of are the cells of a scenario, the floor's first.
func (r *Set) Of(scenario string) []*Cell {
	return plain.Where(r.Cells, func(c *Cell) bool { return c.Scenario == scenario })
}

// By are the cells of a style, by its label, in the order of the scenarios.
func (r *Set) By(label string) []*Cell {
	return plain.Where(r.Cells, func(c *Cell) bool { return c.Style.Label == label })
}

// Cell is that of a style, by its label, in a scenario, in the first run that measured it; nil: none did.
func (r *Set) Cell(label, scenario string) (found *Cell) {
	for _, c := range r.By(label) {
		if c.Scenario == scenario && (found == nil || c.Measured() && !found.Measured()) {
			found = c
		}
	}
	return found
}

// Named is the style and the variant of a label.
func (r *Set) Named(label string) (style, variant string) {
	measured := plain.Map(r.By(label), func(c *Cell) Style { return c.Style })
	for _, s := range append(measured, r.Matrix.Styles...) {
		if s.Label == label {
			return s.Name, s.Variant
		}
	}
	return label, ""
}

// Phases are the names of a scenario's phases: those that all styles have in
// common first, in their order, then each style's inner ones.
func (r *Set) Phases(scenario string) []string {
	var names []string
	for _, c := range r.Of(scenario) {
		for _, p := range c.Phases {
			names = plain.Once(names, p.Phase)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(spec.Phases(), a) - place(spec.Phases(), b) })
	return names
}

// place is where a list has a name; one that it has not comes last.
func place(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// Failed reports whether some sample failed or could not be judged, and nobody expected that; or whether some verdict
// is better than expected. How far a style is behind with a load is a figure: of that nobody says what is expected.
func (r *Set) Failed() bool {
	return len(r.Differences()) > 0 || slices.ContainsFunc(r.Cells, func(c *Cell) bool {
		expected := r.Expectation(r.Matrix.Cell(c.Style.Label, c.Scenario))
		return !(expected.Known && expected.Same) && (c.Failed > 0 || c.Invalid > 0 || c.Late > 0 && !c.Load())
	})
}

// Count counts all samples that were measured, or warmed up, by their outcomes.
func (r *Set) Count() judge.Tally {
	var all judge.Tally
	for _, c := range r.Cells {
		all.Join(c.Tally)
	}
	return all
}

// InShort says in a line whether all was handled correctly, with what colour.
func (r *Set) InShort() (spec.Outcome, string) {
	t := r.Count()
	surprises := len(r.Differences())
	switch {
	case t.All() == 0 && surprises == 0 && r.HasMatrix():
		return "", "the correctness matrix"
	case t.All() == 0 && surprises == 0:
		return "", "the recording holds no sample"
	case t.Passed == t.All() && surprises == 0:
		return spec.Pass, "all " + plain.Plural(t.All(), "sample") + " handled correctly"
	}
	var parts []string
	if surprises > 0 {
		parts = append(parts, plain.Plural(surprises, "verdict")+" not as expected")
	}
	if t.All() > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s handled correctly", t.Passed, plain.Plural(t.All(), "sample")))
	}
	parts = append(parts, counts(count{t.Failed, "failed"}, count{t.Late, "late"}, count{t.Invalid, "invalid"}, count{t.NotApplicable, "not applicable"})...)
	outcome := spec.Fail
	if surprises+t.Failed+t.Late == 0 {
		outcome = spec.Invalid
	}
	return outcome, strings.Join(parts, ", ")
}

// count is how many there are of something, in words.
type count struct {
	n    int
	what string
}

// counts names those that are not zero.
func counts(all ...count) []string {
	return plain.Pick(all, func(one count) (string, bool) { return fmt.Sprintf("%d %s", one.n, one.what), one.n > 0 })
}

// RoundsText says how many rounds were measured, and how often each went through
// the scenarios: passes. Loads have rounds of their own.
func (r *Set) RoundsText() string {
	var parts []string
	driven, asked := "", ""
	for _, load := range []bool{false, true} {
		var rounds, passes []int
		for _, c := range r.Cells {
			n, least, most := c.Rounds()
			if c.Load() == load && n > 0 && (!c.IsFloor() || len(r.Styles) == 1) {
				rounds, passes = append(rounds, n), append(passes, least, most)
			}
		}
		if len(rounds) > 0 {
			driven = span(rounds)
		}
		switch {
		case len(rounds) == 0:
		case load:
			parts = append(parts, span(rounds)+" "+noun(rounds, "round")+" of each load")
		default:
			parts = append(parts, span(rounds)+" "+noun(rounds, "round")+" of "+span(passes)+" "+noun(passes, "pass", "passes"))
		}
	}
	i := slices.IndexFunc(r.Parts, func(p Part) bool { return slices.Contains(r.Runs, p.Header.Run) && early(p.Environment) })
	if i >= 0 {
		asked = r.Parts[i].Environment.Flags["rounds"]
	}
	switch {
	case len(parts) == 0 || i < 0:
	case slices.Contains([]string{"", "0"}, asked):
		parts = append(parts, "fewer rounds than were asked for")
	case driven == asked:
		parts = append(parts, "the last cut short")
	default:
		parts = append(parts, "fewer than the "+asked+" that were asked for")
	}
	return strings.Join(parts, ", ")
}

// span is a number, or the least and the most of several.
func span(list []int) string { return plain.Span(slices.Min(list), slices.Max(list)) }

// noun is what span counts.
func noun(list []int, word string, many ...string) string {
	return plain.Noun(slices.Max(list), word, many...)
}

// early reports whether a run ended before all of its rounds were driven.
func early(e *record.Environment) bool { return e != nil && e.Early }
