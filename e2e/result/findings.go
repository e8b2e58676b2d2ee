package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// ofMatrix joins what recordings hold of the correctness matrix. The floor has no operator that could be correct. Of a
// style only one version counts: that of the recording given first which drove it through more than what is measured.
// What is measured is of the first that has it. Of a scenario that was changed, only verdicts of the form that the newest
// recording has count, and those of recordings that do not say which form they had.
func ofMatrix(recordings []Recording) *Matrix {
	first, newest := map[key]string{}, newestForms(recordings)
	judgements := plain.Map(recordings, func(one Recording) *judge.Judgement {
		judged := *one.Judgement
		if early(one.Environment) {
			judged = *judged.Finished()
		}
		form := one.forms()
		judged.Results = plain.Where(judged.Results, func(r judge.Result) bool {
			if form[r.Scenario] != "" && form[r.Scenario] != newest[r.Scenario] {
				return false
			}
			at, version := key{label: record.Label(r.Style, r.Variant)}, one.version(r.Style, r.Variant)
			if r.Group == spec.GroupLatency || r.Group == spec.GroupLoad {
				at.scenario = r.Scenario
			}
			if first[at] == "" {
				first[at] = version
			}
			return version == first[at] || version == ""
		})
		return &judged
	})
	return matrixOf(judgements, spec.Floor)
}

// newestForms returns the digests of the scenarios, by their names, as the newest recording has them.
func newestForms(recordings []Recording) map[string]string {
	forms := map[string]string{}
	for _, one := range slices.SortedStableFunc(slices.Values(recordings), func(a, b Recording) int { return a.Judgement.Header.Began.Compare(b.Judgement.Header.Began) }) {
		maps.Copy(forms, one.forms())
	}
	return forms
}

// forms returns the digests of the scenarios that have one, by their names.
func (r Recording) forms() map[string]string {
	forms := map[string]string{}
	for _, s := range r.Judgement.Header.Scenarios {
		if s.Digest != "" {
			forms[s.Name] = s.Digest
		}
	}
	return forms
}

// version tells what was installed of a style from what was at another time: the digest of its manifests, and its images.
// It is empty where they are not known.
func (r Recording) version(style, variant string) string {
	if r.Environment == nil {
		return ""
	}
	of := func(facts record.StyleFacts) bool { return facts.Name == style && facts.Variant == variant }
	i := slices.IndexFunc(r.Environment.Styles, of)
	if i < 0 {
		return ""
	}
	facts := r.Environment.Styles[i]
	images := plain.Where(r.Environment.Images, func(image record.ImageFacts) bool { return slices.Contains(facts.Images, image.Name) })
	return strings.Join(append(slices.Sorted(slices.Values(plain.Map(images, identity))), facts.Manifests), " ")
}

// identity tells an image from what was another program. One that is built has another digest on each machine, though
// nothing of it changed but times and Debian's updates: its size and its dependencies tell.
func identity(image record.ImageFacts) string {
	if image.Source != built || image.Bytes == 0 {
		return image.Digest
	}
	text := fmt.Sprintf("%s of %d bytes", image.Reference, image.Bytes)
	if of := image.Dependencies; of != nil {
		text += fmt.Sprintf(" with %d of %d dependencies", of.Direct, of.All)
	}
	return text
}

// built is the source of an image that was built on the machine of the run.
const built = "built"

// HasMatrix tells whether there is a correctness matrix to show: scenarios that are not only there to be measured.
func (r *Set) HasMatrix() bool { return r.Matrix.Correctness() }

// Expectation is what is expected of a cell of the matrix, beside what was seen.
type Expectation struct {
	Known    bool   `json:"-"`                  // someone said what is expected of the style
	Want     string `json:"verdict"`            // in words
	Same     bool   `json:"same"`               // it was seen so
	Why      string `json:"why,omitempty"`      // it is expected
	Upstream string `json:"upstream,omitempty"` // URL of an issue about it
}

// Surprise tells whether something else was seen than was expected.
func (e Expectation) Surprise() bool { return e.Known && !e.Same }

// Expectation returns what is expected of a cell; of a load nothing is.
func (r *Set) Expectation(c *Cell) Expectation {
	if c == nil || c.Load() {
		return Expectation{}
	}
	expected := r.expected[c.Style.Name]
	if !expected.Known() {
		return Expectation{}
	}
	e := Expectation{Known: true}
	e.Want, e.Same = expected.Match(c.Seen())
	if entry, there := expected.Of(c.Scenario); there {
		e.Why, e.Upstream = entry.Why, entry.Upstream
	}
	return e
}

// Differences are the verdicts that are not as expected, where it is known what is expected of a style, if only a
// verdict, and the rights that styles should not hold.
func (r *Set) Differences() []Difference {
	var all []Difference
	for _, name := range plain.Once(nil, plain.Map(r.Matrix.Styles, func(s Style) string { return s.Name })...) {
		if expected, known := r.expected[name]; known {
			all = append(all, Compare(r.Matrix, name, expected)...)
		}
	}
	return append(all, OfRights(r.Matrix, r.Grants)...)
}

// Unforeseen are the cells of the matrix that did not pass, where it is not known what is expected of a style. What was
// measured is not among them: its samples tell.
func (r *Set) Unforeseen() []*Cell {
	all := plain.Flat(r.Matrix.Labels(), r.Findings)
	return plain.Pick(all, func(f Finding) (*Cell, bool) {
		return f.Cell, f.Group != spec.GroupLatency && !f.Load() && !f.IsFloor() && !f.Known
	})
}

// Recorded tells whether the report has recorded scenarios of the correctness
// matrix for a style, and not only those that were measured.
func (r *Set) Recorded(label string) bool {
	return slices.ContainsFunc(r.Matrix.Cells(label), func(c *Cell) bool { return c.Group != spec.GroupLatency })
}

// NotRecorded stands where nothing of the matrix was recorded of a style.
const NotRecorded = "not recorded"

// Tally counts a style's cells of the matrix by their verdicts: in short how many fail, of those that apply.
func (r *Set) Tally(label string) (short, text string) {
	if !r.Recorded(label) {
		return NotRecorded, NotRecorded
	}
	seen := map[spec.Outcome]int{}
	for _, c := range r.counted(label) {
		seen[c.Verdict]++
	}
	surprises := len(plain.Where(r.Findings(label), Finding.Surprise))
	failing, how := r.Fails(label), "fail"
	if seen[spec.Late] > 0 {
		how = "fail or are late"
	}
	short = fmt.Sprintf("%d of %d %s", failing.Failed, failing.Of, how)
	rest := counts(count{seen[spec.Flaky], "of them flaky"}, count{seen[spec.Late], "of them late"}, count{seen[spec.Invalid], "invalid"},
		count{seen[spec.NotApplicable], "not applicable"}, count{surprises, "not as expected"})
	return short, strings.Join(append([]string{short}, rest...), ", ")
}

// Finding is a cell that did not pass, for lists.
type Finding struct {
	*Cell
	Expectation
}

// Findings are the cells of a style that neither passed nor are not applicable, or that are not as expected: those of the
// matrix, and those that it has not.
func (r *Set) Findings(label string) []Finding {
	beside := plain.Where(r.By(label), func(c *Cell) bool { return c.Load() || c.IsFloor() })
	return plain.Pick(slices.Concat(r.Matrix.Cells(label), beside), func(c *Cell) (Finding, bool) {
		e := r.Expectation(c)
		return Finding{c, e}, c.Verdict != spec.Pass && c.Verdict != spec.NotApplicable || e.Surprise()
	})
}

// Title is the verdict in one line, and whether it was expected, if that is known.
func (f Finding) Title() string {
	title := f.Scenario + ": " + f.String()
	switch {
	case !f.Known:
		return title
	case f.Same:
		return title + ", as expected"
	}
	return title + ", not as expected (" + f.Want + ")"
}

// Inapplicable says once for each style and reason which scenarios do not apply.
func (r *Set) Inapplicable() []string {
	var lines []string
	for _, s := range r.Matrix.Styles {
		var found plain.Groups[string, string]
		for _, c := range r.Matrix.Cells(s.Label) {
			if c.Verdict == spec.NotApplicable {
				found.Add(c.Reason, c.Scenario)
			}
		}
		for _, reason := range found.Keys {
			lines = append(lines, fmt.Sprintf("not applicable to %s: %s (%s)", s.Label, reason, strings.Join(found.Of[reason], ", ")))
		}
	}
	return lines
}

// Reason says in a line why a cell did not pass: what is known to be expected, or what the first oracle said.
func (f Finding) Reason() string {
	if f.Same && f.Why != "" {
		return f.Why
	}
	for _, o := range f.Reasons() {
		return o.Name + ": " + o.Message
	}
	return f.Cell.Reason
}
