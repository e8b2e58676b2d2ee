package result

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Headline is the scenario that styles are known by: create where it was
// measured, else the first that was; empty: none was.
func (r *Set) Headline() string {
	const create = "create"
	var measured []string
	for _, c := range r.Cells {
		if c.Measured() {
			measured = append(measured, c.Scenario)
		}
	}
	i := slices.IndexFunc(r.Scenarios, func(name string) bool { return slices.Contains(measured, name) })
	switch {
	case slices.Contains(measured, create):
		return create
	case i >= 0:
		return r.Scenarios[i]
	}
	return ""
}

// Header is what a recording's header says of a style; nil: no recording has one.
// Of several the one that says the most counts, which is the newest schema's.
func (r *Set) Header(label string) *record.Style {
	var found *record.Style
	newest := -1
	for _, part := range r.Parts {
		for i := range part.Header.Styles {
			if s := &part.Header.Styles[i]; record.Label(s.Name, s.Variant) == label && part.Header.Schema > newest {
				found, newest = s, part.Header.Schema
			}
		}
	}
	return found
}

// Contestants are the styles that are compared: neither the floor nor another
// control, nor what stands apart (see Apart).
func (r *Set) Contestants() []string {
	return slices.DeleteFunc(slices.Clone(r.Styles), func(label string) bool {
		name, _ := r.Named(label)
		header := r.Header(label)
		return name == spec.Floor || r.Apart(label) || header != nil && header.Control != ""
	})
}

// Mishandled names a style with the measured single changes that it did not handle rightly
// each time, and how often it did; empty: there are none. False: nothing was measured.
func (r *Set) Mishandled(label string) (text string, measured bool) {
	var wrong []string
	for c := range r.By(label) {
		if c.Load() || !c.Measured() {
			continue
		}
		measured = true
		switch c.Verdict {
		case spec.Fail, spec.Flaky, spec.Late: // what could not be judged, as when a run ended early, says nothing of the style
			wrong = append(wrong, fmt.Sprintf("%s: %d of %d right", c.Scenario, c.Passed, c.All()))
		}
	}
	if len(wrong) == 0 {
		return "", measured
	}
	return label + " (" + strings.Join(wrong, ", ") + ")", measured
}

// owned is what a style's maintainer owns; nil: that is not known.
func (r *Set) owned(label string) *record.Owned {
	facts, _ := r.Facts(label)
	if facts == nil {
		return nil
	}
	return facts.Owned
}

// Language is the one that most of the lines which a style's maintainer owns are
// in, files that only build left out; empty: not recorded.
func (r *Set) Language(label string) string {
	owned := r.owned(label)
	if owned == nil {
		return ""
	}
	most, lines := "", 0
	for language, n := range owned.Languages {
		if language == "JSON" {
			language, n = "YAML", n+owned.Languages["YAML"]
		}
		if language != "other" && (n > lines || n == lines && language < most) {
			most, lines = language, n
		}
	}
	return most
}

func (r *Set) onlyYAML(label string) bool {
	owned := r.owned(label)
	return owned != nil && owned.OnlyYAML()
}

// noImage tells whether a style is known to need no image that nobody else publishes.
func (r *Set) noImage(label string) bool {
	facts, environment := r.Facts(label)
	if facts == nil {
		return false
	}
	images := environment.ImagesOf(facts)
	return len(images) > 0 && !slices.ContainsFunc(images, record.ImageFacts.Custom)
}

// builtOn reports whether a style's framework is of a family.
func (r *Set) builtOn(label, family string) bool {
	header := r.Header(label)
	return header != nil && header.Framework != nil && strings.Contains(strings.ToLower(header.Framework.Name), family)
}

// Failing counts the scenarios of the correctness matrix that apply to a style.
type Failing struct {
	Known                bool // false: the style was not driven through the matrix
	Failed, Unjudged, Of int  // unjudged: the harness lost a watch, say; of: all that apply
	Varying              int  // of Failed, those whose outcome varies: verdicts.yaml says flaky, and they did not fail in most of several runs
	Lacking              int  // that other styles were driven through, and this one was not
}

// Most is how many may fail: what could not be judged did not pass.
func (f Failing) Most() int { return f.Failed + f.Unjudged }

// Steady is the same without those whose outcome varies: a single recording of these
// does not tell styles apart.
func (f Failing) Steady() int { return f.Most() - f.Varying }

// Whole tells whether the style was driven through all that others were: only then its
// count compares with theirs.
func (f Failing) Whole() bool { return f.Known && f.Lacking == 0 }

// Rest says how many are not known; empty: none.
func (f Failing) Rest() string {
	text := ""
	if f.Unjudged > 0 {
		text += fmt.Sprintf(", %d could not be judged", f.Unjudged)
	}
	if f.Lacking > 0 {
		text += fmt.Sprintf(", %d more not recorded", f.Lacking)
	}
	return text
}

// text says how many of them fail, or do what is said instead.
func (f Failing) text(fail string) string {
	if !f.Known {
		return "scenarios not recorded"
	}
	varying := ""
	switch f.Varying {
	case 0:
	case f.Failed:
		varying = " (not always)"
	default:
		varying = fmt.Sprintf(" (%d of them not always)", f.Varying)
	}
	if verb, object, _ := strings.Cut(fail, " "); f.Failed == 1 {
		fail = strings.TrimSpace(verb + "s " + object)
	}
	return fmt.Sprintf("%d of %d scenarios %s%s", f.Failed, f.Of, fail, varying) + f.Rest()
}

// Fails counts the scenarios that a style fails.
func (r *Set) Fails(label string) Failing {
	return r.failing(label, func(*Cell) bool { return true })
}

// loses counts those in which a change was not carried out, or not without help.
func (r *Set) loses(label string) Failing {
	return r.failing(label, func(c *Cell) bool {
		return slices.ContainsFunc(c.FailedNames(), func(name string) bool { return slices.Contains(losing(), name) })
	})
}

// losing are the oracles that fail where a change is not carried out, or only after a nudge.
func losing() []string { return []string{"converged", "gone", "ledger", "recovers"} }

func (r *Set) failing(label string, counts func(*Cell) bool) Failing {
	f := Failing{Known: r.Recorded(label)}
	if !f.Known {
		return f
	}
	for _, c := range r.Matrix.Cells(label) {
		switch c.Verdict {
		case spec.NotApplicable:
			continue
		case spec.Fail, spec.Flaky, spec.Late:
			if counts(c) {
				f.Failed++
				often := c.All() > 1 && 2*c.Passed < c.All()
				if entry, there := r.expected[c.Style.Name].Of(c.Scenario); there && entry.Verdict == spec.Flaky && !often {
					f.Varying++
				}
			}
		case spec.Invalid:
			f.Unjudged++
		}
		f.Of++
	}
	for _, row := range r.Matrix.Rows() {
		if row.Group != spec.GroupLatency && row.driven("") && !row.driven(label) {
			f.Lacking++
		}
	}
	return f
}

// Figure is cost.Figure, for short.
type Figure = cost.Figure

// Used is a quantity of what a style used, over all runs that drove the same
// scenarios as the first one that knows it. Its Missing says why there is none.
type Used struct {
	stat.Summary
	Unit, Missing string
}

// Used sums up a figure of a style's costs, which has a name.
func (r *Set) Used(label, name string, of func(Cost) Figure) Used {
	at := [2]string{label, name}
	if used, there := r.used.Load(at); there {
		return used.(Used)
	}
	used := r.sumUp(label, of)
	r.used.Store(at, used)
	return used
}

func (r *Set) sumUp(label string, of func(Cost) Figure) Used {
	var used Used
	var pooled Figure
	var samples []judge.Sample
	scenarios := ""
	add := func(c Cost) {
		f := of(c)
		if !f.Known() {
			if used.Missing == "" {
				used.Missing = f.Missing
			}
			return
		}
		driven := r.driven(c.Run)
		if len(samples) > 0 && (driven != scenarios || slices.ContainsFunc(samples, func(s judge.Sample) bool { return s.Run == c.Run })) {
			return
		}
		used.Unit, scenarios, pooled.Values = f.Unit, driven, append(pooled.Values, f.Values...)
		for _, v := range f.Values {
			samples = append(samples, judge.Sample{Operator: label, Run: c.Run, Block: v.Round, Value: v.Value, Outcome: judge.OK})
		}
	}
	for _, costs := range [][]Cost{r.Costs, r.Beside} {
		for _, c := range costs {
			if c.Label() == label {
				add(c)
			}
		}
		if len(samples) > 0 {
			break
		}
	}
	if all := stat.Summarize(slices.Values(samples)); len(all) > 0 {
		used.Summary, used.Missing = all[0], ""
		used.P50.Value = pooled.Median()
	}
	return used
}

// driven names the scenarios that a run went through.
func (r *Set) driven(run string) string {
	var names []string
	for _, part := range r.Parts {
		if part.Header.Run == run {
			for _, s := range part.Header.Scenarios {
				names = plain.Once(names, s.Name)
			}
		}
	}
	return strings.Join(names, " ")
}
