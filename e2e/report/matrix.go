package report

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/matrix"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// matrixOf joins what recordings hold of the correctness matrix. The floor has
// no operator that could be correct.
func matrixOf(recordings []Recording) *matrix.Matrix {
	var judgements []*judge.Judgement
	for _, one := range recordings {
		judged := one.Judgement
		if one.undriven() != "" {
			judged = judged.Finished()
		}
		judgements = append(judgements, judged)
	}
	return matrix.Of(judgements...).Without(spec.Floor)
}

// HasMatrix tells whether there is a correctness matrix to show: scenarios that
// are not only there to be measured.
func (r *Report) HasMatrix() bool { return r.Matrix.Correctness() }

// Expectation is what is expected of a cell of the matrix, beside what was seen.
type Expectation struct {
	Known bool   // someone said what is expected of the style
	Same  bool   // it was seen so
	Want  string // in words
	// Why it is expected, and the URL of an issue about it; empty: nobody said.
	Why, Upstream string
}

// Surprise tells whether something else was seen than was expected.
func (e Expectation) Surprise() bool { return e.Known && !e.Same }

// Expectation returns what is expected of a cell.
func (r *Report) Expectation(c *matrix.Cell) Expectation {
	if c == nil {
		return Expectation{}
	}
	expected := r.expected[c.Style.Name]
	if !expected.Known() {
		return Expectation{}
	}
	e := Expectation{Known: true}
	e.Want, e.Same = expected.Match(c)
	if entry, there := expected.Of(c.Scenario); there {
		e.Why, e.Upstream = entry.Why, entry.Upstream
	}
	return e
}

// anyExpected tells whether it is known of any style what is expected.
func (r *Report) anyExpected() bool {
	for _, expected := range r.expected {
		if expected.Known() {
			return true
		}
	}
	return false
}

// Differences are the verdicts that are not as expected, of the styles of which
// it is known what is expected, if only a verdict, and the rights that styles should not hold.
func (r *Report) Differences() []matrix.Difference {
	var all []matrix.Difference
	var done []string
	for _, s := range r.Matrix.Styles {
		if expected, known := r.expected[s.Name]; known && !slices.Contains(done, s.Name) {
			done = append(done, s.Name)
			all = append(all, matrix.Compare(r.Matrix, s.Name, expected)...)
		}
	}
	return append(all, matrix.OfRights(r.Matrix, r.Grants)...)
}

// Marks of verdicts, for what can show no better ones.
func mark(o judge.Outcome) string {
	switch o {
	case judge.Pass:
		return "✓"
	case judge.Fail:
		return "✗"
	case matrix.Flaky:
		return "≈"
	case Late:
		return "✗ late"
	case judge.Invalid:
		return "!"
	}
	return unknown
}

// Recovered says in words how a style recovered from a fault, with the median
// and the range of the times that it took; empty: nothing was broken.
func Recovered(r *matrix.Recovery) string {
	if r == nil {
		return ""
	}
	if median, known := r.Median(); known {
		text := "recovered in " + Duration(median.Seconds())
		switch shortest, longest := r.Range(); {
		case longest == 0:
			text = "recovered before the fault was over"
		case shortest != longest:
			text += fmt.Sprintf(" (%s–%s)", Duration(shortest.Seconds()), Duration(longest.Seconds()))
		}
		return text + others(r)
	}
	switch r.By() {
	case matrix.Nudge:
		return "only after a nudge"
	case matrix.Never:
		return "never recovered"
	}
	return "recovery: " + r.By()
}

// others counts the repeats that did not recover by themselves, beside those that did.
func others(r *matrix.Recovery) string {
	text := ""
	if r.Nudge > 0 {
		text += fmt.Sprintf(", %d× only after a nudge", r.Nudge)
	}
	if r.Never > 0 {
		text += fmt.Sprintf(", %d× never", r.Never)
	}
	return text
}

// Recorded tells whether the report has recorded scenarios of the correctness
// matrix for a style, and not only those that were measured.
func (r *Report) Recorded(label string) bool {
	return slices.ContainsFunc(r.Matrix.Cells(label), func(c *matrix.Cell) bool { return c.Group != scenarios.Latency })
}

// notRecorded stands where nothing of the matrix was recorded of a style.
const notRecorded = "not recorded"

// Tally counts a style's cells of the matrix by their verdicts: in short how many
// fail, of those that apply.
func (r *Report) Tally(label string) (short, text string) {
	if !r.Recorded(label) {
		return notRecorded, notRecorded
	}
	var count judge.Tally
	flaky, surprises := 0, 0
	for _, c := range r.Matrix.Cells(label) {
		switch c.Verdict {
		case matrix.Flaky:
			flaky++
		default:
			count.Add(c.Verdict)
		}
		if r.Expectation(c).Surprise() {
			surprises++
		}
	}
	fail := "fail"
	if count.Late > 0 {
		fail = "fail or are late"
	}
	parts := []string{fmt.Sprintf("%d of %d %s", count.Failed+count.Late, count.All()-count.NotApplicable+flaky, fail)}
	for _, one := range []struct {
		n    int
		what string
	}{
		{flaky, string(matrix.Flaky)},
		{count.Late, "of them " + string(Late)},
		{count.Invalid, string(judge.Invalid)},
		{count.NotApplicable, string(judge.NotApplicable)},
		{surprises, "not as expected"},
	} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	return parts[0], strings.Join(parts, ", ")
}

// Finding is a cell that did not pass, for lists.
type Finding struct {
	*matrix.Cell
	Expectation
}

// Findings are the cells of a style that neither passed nor are not applicable,
// or that are not as expected.
func (r *Report) Findings(label string) []Finding {
	var all []Finding
	for _, c := range r.Matrix.Cells(label) {
		e := r.Expectation(c)
		if c.Verdict == judge.Pass && !e.Surprise() || c.Verdict == judge.NotApplicable && !e.Surprise() {
			continue
		}
		all = append(all, Finding{c, e})
	}
	return all
}

// standing says whether a verdict was expected; empty: that is not known.
func (e Expectation) standing() string {
	switch {
	case !e.Known:
		return ""
	case e.Same:
		return "as expected"
	}
	return "not as expected (" + e.Want + ")"
}

// inapplicable says once for each style and reason which scenarios do not apply.
func (r *Report) inapplicable() []string {
	var lines []string
	for _, s := range r.Matrix.Styles {
		var order []string
		found := map[string][]string{}
		for _, c := range r.Matrix.Cells(s.Label) {
			if c.Verdict != judge.NotApplicable {
				continue
			}
			if found[c.Reason] == nil {
				order = append(order, c.Reason)
			}
			found[c.Reason] = append(found[c.Reason], c.Scenario)
		}
		for _, reason := range order {
			lines = append(lines, fmt.Sprintf("not applicable to %s: %s (%s)", s.Label, reason, strings.Join(found[reason], ", ")))
		}
	}
	return lines
}

// Reason says in a line why a cell did not pass: what is known to be expected, or
// what the first oracle said.
func (f Finding) Reason() string {
	if f.Same && f.Why != "" {
		return f.Why
	}
	for _, o := range Told(f.Cell) {
		return o.Name + ": " + o.Message
	}
	return f.Cell.Reason
}

// teller leaves out what was told of a style already: what an oracle said, by the
// first scenario of which it was told.
type teller map[string]string

// told are the oracles that say why a cell did not pass, as Told.
func (t teller) told(c *matrix.Cell) []matrix.Oracle {
	all := Told(c)
	for i, o := range all {
		said := strings.Join(append([]string{o.Name, o.Message}, o.Evidence...), "\n")
		switch before, again := t[said]; {
		case len(o.Evidence) == 0: // it is short enough
		case again:
			all[i].Message, all[i].Evidence = "as in "+before, nil
		default:
			t[said] = c.Scenario
		}
	}
	return all
}

// Told are the oracles that say why a cell did not pass: those that failed, or
// else those that could not judge. Those that say the same are told of once. Of
// what is late, though no oracle failed, it is the sample's end.
func Told(c *matrix.Cell) []matrix.Oracle {
	if late, there := c.Overdue(); there && c.Verdict == Late {
		return []matrix.Oracle{late}
	}
	outcome := judge.Invalid
	if c.Failed > 0 {
		outcome = judge.Fail
	}
	var all []matrix.Oracle
	for _, o := range c.Oracles {
		if o.Outcome != outcome {
			continue
		}
		if i := slices.IndexFunc(all, func(have matrix.Oracle) bool { return have.Message == o.Message }); i >= 0 {
			all[i].Name += ", " + o.Name
			continue
		}
		all = append(all, o)
	}
	return all
}
