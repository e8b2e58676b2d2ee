// Package result adds up: what oracles found in samples, and how long these took,
// becomes cells with outcomes, intervals and the floor beside them. It is the only
// place that does; all formats print what stands here, and gates compare it.
package result

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/stat"
)

// Set is what recordings add up to.
type Set struct {
	Runs        []string
	Environment *record.Environment // nil: not known, or there are several
	Warnings    []string
	LeftOut     []string // recordings that could not be read, with why; they are among the warnings
	// Styles are labels (record.Label): the floor first, then in the order of
	// the recordings' headers, whatever order chance gave to the rounds.
	Styles    []string
	Scenarios []string // that were measured, in order of appearance
	Cells     []*Cell  // by scenario, then by style
	Samples   []judge.Sample
	Costs     []Cost // by recording, then by style
	// Beside are those of runs, measured or not, that tell what loads and the
	// correctness matrix alone do (cold starts, the memory of many, passes without a
	// change), and those of another place than most latencies: they fill gaps of Costs.
	Beside []Cost
	// Matrix has all scenarios that styles were driven through, those that were
	// measured too, without the floor.
	Matrix *Matrix
	Grants []grants.Use // by style, over all recordings

	Parts    []Part                       // by recording
	apart    []string                     // labels: see Apart
	used     sync.Map                     // Used by label and name, as they were asked for
	expected map[string]verdicts.Expected // by style; one that is not here: not known
}

// Part is what is kept of a recording: its judgement's memory can go.
type Part struct {
	Environment *record.Environment
	Header      record.Header
	Samples     []judge.Sample // of Set.Samples
	rest        bool           // as that of its recording
}

// Recording is what is known of one recording. Only the judgement is needed.
type Recording struct {
	Environment *record.Environment
	Judgement   *judge.Judgement
	Costs       []cost.Cost // none: not computed
	Grants      []grants.Use
	Restarts    []restarts.Block // by style and round; of a load another one
	// Expected are the verdicts that are expected of styles, by their names, as
	// verdicts.Load gives them for every style that was driven. Of a style that is
	// not here nothing is known, and no verdict is called as expected or not.
	Expected map[string]verdicts.Expected

	floor  string // what its floor took, where the floors of recordings of one place differ; empty: it fits all
	beside bool   // not of the place with the most latencies: what it cost is not compared
	rest   bool   // the second part of a recording
}

// New adds up judged recordings of one environment, which may be
// nil where it is not known.
func New(environment *record.Environment, judgements ...*judge.Judgement) *Set {
	recordings := make([]Recording, len(judgements))
	for i, j := range judgements {
		recordings[i] = Recording{Environment: environment, Judgement: j}
	}
	return Of(recordings...)
}

// Of adds up recordings. Where those of a scenario were made in several environments, or
// by several schemas, the latencies and costs of the fewer stand apart, and it warns of
// that: see Apart.
func Of(given ...Recording) *Set {
	parted := separate(given)
	recordings := parted.all
	r := &Set{
		Environment: common(parted.main), apart: parted.apart, Samples: make([]judge.Sample, 0, samplesOf(recordings)),
		Matrix: ofMatrix(recordings), Grants: rights(recordings), expected: map[string]verdicts.Expected{},
	}
	var cells Cells
	for _, one := range recordings {
		j := one.Judgement
		if !one.rest {
			r.Runs = append(r.Runs, j.Header.Run)
			for _, warning := range slices.Concat(j.Warnings, []string{one.undriven()}) {
				switch {
				case warning == "":
				case len(recordings) > 1:
					r.Warnings = append(r.Warnings, "run "+j.Header.Run+": "+warning)
				default:
					r.Warnings = append(r.Warnings, warning)
				}
			}
		}
		maps.Copy(r.expected, one.Expected)
		first := len(r.Samples)
		for _, result := range j.Results {
			if result.Matrix { // others overlap with it: its latencies are no measurement
				continue
			}
			from := len(r.Samples)
			r.Samples = append(r.Samples, result.Samples...)
			result.Samples = r.Samples[from:len(r.Samples):len(r.Samples)]
			r.Scenarios = plain.Once(r.Scenarios, result.Scenario)
			cells.Add(j.Header.Run, result)
		}
		r.Parts = append(r.Parts, Part{Environment: one.Environment, Header: j.Header, Samples: r.Samples[first:], rest: one.rest})
	}
	for _, s := range stat.Summarize(slices.Values(r.Samples)) {
		c := cells.at[key{record.Label(s.Operator, s.Variant), s.Scenario}]
		c.Phases = append(c.Phases, s)
	}
	r.Cells = cells.Sum()
	floors := r.floors()
	for _, c := range r.Cells {
		floors.beside(c)
		expected := r.Expectation(r.Matrix.Cell(c.Style.Label, c.Scenario))
		c.explain(expected.Known && expected.Same)
	}
	r.Warnings = slices.Concat(r.Warnings, parted.warnings, mixed(given), floors.differ(r))
	r.Styles = r.order()
	r.Costs = r.costs(recordings)
	slices.SortStableFunc(r.Cells, func(a, b *Cell) int {
		if d := slices.Index(r.Scenarios, a.Scenario) - slices.Index(r.Scenarios, b.Scenario); d != 0 {
			return d
		}
		return slices.Index(r.Styles, a.Style.Label) - slices.Index(r.Styles, b.Style.Label)
	})
	return r
}

// LeaveOut says of a recording, which belongs to the report, that it could not be
// read.
func (r *Set) LeaveOut(why string) {
	r.LeftOut, r.Warnings = append(r.LeftOut, why), append(r.Warnings, why)
}

// samplesOf is how many samples there are in all.
func samplesOf(recordings []Recording) int {
	n := 0
	for _, one := range recordings {
		for i := range one.Judgement.Results {
			n += len(one.Judgement.Results[i].Samples)
		}
	}
	return n
}

// order lists the labels of all that was driven: the floor's first, then as the
// headers list them, then those that no header has.
func (r *Set) order() []string {
	var floors, listed, driven, all []string
	for _, one := range r.Parts {
		for _, s := range one.Header.Styles {
			listed = append(listed, record.Label(s.Name, s.Variant))
		}
	}
	for _, s := range r.Matrix.Styles {
		driven = plain.Once(driven, s.Label)
	}
	for _, c := range r.Cells {
		driven = plain.Once(driven, c.Style.Label)
		if c.IsFloor() {
			floors = append(floors, c.Style.Label)
		}
	}
	for _, label := range slices.Concat(floors, listed, driven) {
		if slices.Contains(driven, label) {
			all = plain.Once(all, label)
		}
	}
	return all
}

// measured tells whether a recording has a latency of a style: a cost is that of
// blocks in which styles were measured.
func (r Recording) measured(label string) bool {
	return slices.ContainsFunc(r.Judgement.Results, func(result judge.Result) bool {
		return !result.Matrix && record.Label(result.Style, result.Variant) == label
	})
}

// Of yields the cells of a scenario, the floor's first.
func (r *Set) Of(scenario string) iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, c := range r.Cells {
			if c.Scenario == scenario && !yield(c) {
				return
			}
		}
	}
}

// By yields the cells of a style, by its label, in the order of the scenarios.
func (r *Set) By(label string) iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, c := range r.Cells {
			if c.Style.Label == label && !yield(c) {
				return
			}
		}
	}
}

// Cell is that of a style, by its label, in a scenario; nil: it was not measured.
func (r *Set) Cell(label, scenario string) *Cell {
	for c := range r.By(label) {
		if c.Scenario == scenario {
			return c
		}
	}
	return nil
}

// Named is the style and the variant of a label.
func (r *Set) Named(label string) (style, variant string) {
	for c := range r.By(label) {
		return c.Style.Name, c.Style.Variant
	}
	for _, s := range r.Matrix.Styles {
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
	for c := range r.Of(scenario) {
		for _, p := range c.Phases {
			names = plain.Once(names, p.Phase)
		}
	}
	standard := spec.Phases()
	at := func(name string) int {
		if i := slices.Index(standard, name); i >= 0 {
			return i
		}
		return len(standard)
	}
	slices.SortStableFunc(names, func(a, b string) int { return at(a) - at(b) })
	return names
}

// Failed tells whether some sample failed or could not be judged, and nobody
// expected that; or whether some verdict is better than expected. How far a style
// is behind with a load is a figure: of that nobody says what is expected.
func (r *Set) Failed() bool {
	return len(r.Differences()) > 0 || slices.ContainsFunc(r.Cells, func(c *Cell) bool {
		return slices.ContainsFunc(c.Problems, func(p Problem) bool { return !p.Expected && !(p.Outcome == spec.Late && c.Load()) })
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
	parts = append(parts, counts(count{t.Failed, "failed"}, count{t.Late, spec.Late}, count{t.Invalid, spec.Invalid}, count{t.NotApplicable, spec.NotApplicable})...)
	outcome := spec.Fail
	if surprises+t.Failed+t.Late == 0 {
		outcome = spec.Invalid
	}
	return outcome, strings.Join(parts, ", ")
}

// count is how many there are of something, in words.
type count struct {
	n    int
	what spec.Outcome
}

// counts names those of which there is any.
func counts(all ...count) []string {
	var parts []string
	for _, one := range all {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	return parts
}

// RoundsText says how many rounds were measured, and how often each went through
// the scenarios: passes. Loads have rounds of their own. What stands apart is left out.
func (r *Set) RoundsText() string {
	var parts []string
	for _, load := range []bool{false, true} {
		var rounds, passes []int
		for _, c := range r.Cells {
			n, least, most := c.Rounds()
			if c.Load() == load && n > 0 && !r.Apart(c.Style.Label) && (!c.IsFloor() || len(r.Styles) == 1) {
				rounds, passes = append(rounds, n), append(passes, least, most)
			}
		}
		switch {
		case len(rounds) == 0:
		case load:
			parts = append(parts, span(rounds)+" "+noun(rounds, "round")+" of each load")
		default:
			parts = append(parts, span(rounds)+" "+noun(rounds, "round")+" of "+span(passes)+" "+noun(passes, "pass", "passes"))
		}
	}
	return strings.Join(parts, ", ")
}

// span is a number, or the least and the most of several.
func span(list []int) string { return plain.Span(slices.Min(list), slices.Max(list)) }

// noun is what span counts.
func noun(list []int, word string, many ...string) string {
	return plain.Noun(slices.Max(list), word, many...)
}

// Problems are those of all cells: of the samples that were measured.
func (r *Set) Problems() []Problem {
	var all []Problem
	for _, c := range r.Cells {
		all = append(all, c.Problems...)
	}
	return all
}

// rights are what styles did with theirs, over all recordings.
func rights(recordings []Recording) []grants.Use {
	var uses []grants.Use
	for _, one := range recordings {
		uses = append(uses, one.Grants...)
	}
	return grants.Join(uses...)
}

// undriven is what was asked for and not driven, where the run ended early.
func (r Recording) undriven() string {
	if r.Environment == nil {
		return ""
	}
	return r.Environment.Undriven
}

// MeasuredRuns are those that have latencies.
func (r *Set) MeasuredRuns() []string {
	var runs []string
	for _, c := range r.Cells {
		for _, run := range c.runs() {
			runs = plain.Once(runs, run)
		}
	}
	return runs
}
