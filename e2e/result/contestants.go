package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/stat"
)

// Headline is the scenario that styles are known by: create where it was
// measured, else the first that was; empty: none was.
func (r *Set) Headline() string {
	const create = "create"
	measured := plain.Where(r.Scenarios, func(name string) bool { return slices.ContainsFunc(r.Of(name), (*Cell).Measured) })
	if len(measured) == 0 {
		return ""
	}
	return measured[max(slices.Index(measured, create), 0)]
}

// Header is what a recording's header says of a style; without a name: no recording has one.
// Of several the one that says the most counts, which is the newest schema's.
func (r *Set) Header(label string) (found record.Style) {
	newest := -1
	for _, part := range r.Parts {
		for _, s := range part.Header.Styles {
			if record.Label(s.Name, s.Variant) == label && part.Header.Schema > newest {
				found, newest = s, part.Header.Schema
			}
		}
	}
	return found
}

// Contestants are the styles that are compared: neither the floor nor another control.
func (r *Set) Contestants() []string {
	return plain.Where(r.Styles, func(label string) bool {
		name, _ := r.Named(label)
		return name != spec.Floor && r.Header(label).Control == ""
	})
}

// Facts returns what the environment of the newest recording of a style knows of it; nil: none does.
func (r *Set) Facts(label string) (facts *record.StyleFacts, environment *record.Environment) {
	for _, one := range r.Parts {
		if its := one.Environment.Facts(label); its != nil && (facts == nil || one.Environment.Began.After(environment.Began)) {
			facts, environment = its, one.Environment
		}
	}
	return facts, environment
}

// owned is what a style's maintainer owns; nil: that is not known.
func (r *Set) owned(label string) *record.Owned {
	if facts, _ := r.Facts(label); facts != nil {
		return facts.Owned
	}
	return nil
}

// Language is the programming language that a style's maintainer owns the most lines in, or YAML where less than a third
// of the lines are in it; files that only build are left out. Empty: not recorded.
func (r *Set) Language(label string) string {
	owned := r.owned(label)
	if owned == nil || len(owned.Languages) == 0 {
		return ""
	}
	if of := kinds(owned); of.language != "" && 3*owned.Languages[of.language] >= of.logic+of.manifests {
		return of.language
	}
	return "YAML"
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
	return strings.Contains(strings.ToLower(r.Framework(label).Name), strings.ToLower(family))
}

// Framework is the one that a style is built on; without a name: it is not known.
func (r *Set) Framework(label string) (of spec.Framework) {
	if framework := r.Header(label).Framework; framework != nil {
		of = *framework
	}
	return of
}

// Failing counts the scenarios of the correctness matrix that apply to a style.
type Failing struct {
	Known                bool // false: the style was not driven through the matrix
	Failed, Unjudged, Of int  // unjudged: the harness lost a watch, say; of: all that apply
	Lacking              int  // that other styles were driven through, and this one was not; not those that this program has no more
}

// Most is how many may fail: what could not be judged did not pass.
func (f Failing) Most() int { return f.Failed + f.Unjudged }

// Whole tells whether the style was driven through all that others were: only then its count compares with theirs.
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

// Fails counts the scenarios that a style fails.
func (r *Set) Fails(label string) Failing {
	return r.failing(label, func(*Cell) bool { return true })
}

// Cause is what scenarios of a style fail from.
type Cause struct {
	Cells []*Cell
	Why   string // of the first of them; empty: its failure is not expected
}

// Where names the runs in which that failed.
func (c Cause) Where() string {
	var runs []string
	for _, cell := range c.Cells {
		for _, one := range cell.Results {
			if o := one.Outcome(); o != spec.Pass && o != spec.NotApplicable {
				runs = plain.Once(runs, one.Run)
			}
		}
	}
	return plain.Noun(len(runs), "run", "runs") + " " + strings.Join(runs, ", ")
}

// Causes are what the scenarios that a style fails come from, by its verdicts: a failure that names none has one of its
// own.
func (r *Set) Causes(label string) []Cause {
	name, _ := r.Named(label)
	expected := r.expected[name]
	failing := plain.Where(r.counted(label), (*Cell).Failing)
	groups := plain.Grouped(failing, func(c *Cell) string {
		entry, _ := expected.Of(c.Scenario)
		return cmp.Or(entry.Cause, "of "+c.Scenario)
	})
	return plain.Map(groups.Keys, func(key string) Cause {
		entry, _ := expected.Of(groups.Of[key][0].Scenario)
		return Cause{groups.Of[key], entry.Why}
	})
}

// loses counts those in which a change was not carried out, or not without help.
func (r *Set) loses(label string) Failing {
	return r.failing(label, func(c *Cell) bool {
		return slices.ContainsFunc(c.FailedNames(), func(name string) bool { return slices.Contains(losing(), name) })
	})
}

// losing are the oracles that fail where a change is not carried out, or only after a nudge.
func losing() []string {
	return plain.Pick(judge.Oracles(), func(o judge.Named) (string, bool) { return o.Name, o.Losing })
}

// counted are the cells that a style's tests are counted by.
func (r *Set) counted(label string) []*Cell {
	return plain.Pick(r.Matrix.Tests(), func(row *Row) (*Cell, bool) { c := row.cell(label); return c, c != nil })
}

func (r *Set) failing(label string, counts func(*Cell) bool) Failing {
	f := Failing{Known: r.Recorded(label)}
	if !f.Known {
		return f
	}
	for _, c := range r.counted(label) {
		switch c.Verdict {
		case spec.NotApplicable:
			continue
		case spec.Fail, spec.Flaky, spec.Late:
			if counts(c) {
				f.Failed++
			}
		case spec.Invalid:
			f.Unjudged++
		}
		f.Of++
	}
	for _, row := range r.Matrix.Rows() {
		if row.Group != spec.GroupLatency && row.applies() && row.cell(label) == nil && scenarios.Known(row.Name) {
			f.Lacking++
		}
	}
	return f
}

// Figure is cost.Figure, for short.
type Figure = cost.Figure

// used is a quantity that a style used, in the first run that knows it, or why none does.
func used(costs []Cost, label string, of func(Cost) Figure) Value {
	missing := ""
	for _, c := range costs {
		f := of(c)
		switch {
		case c.Label() != label:
		case f.Known():
			sum := c.SumUp(f)
			v := measured(f.Unit, sum, sum.P50, sum.CI50)
			v.Run = c.Run
			return v
		default:
			missing = cmp.Or(missing, f.Missing)
		}
	}
	return Value{Note: missing}
}

// SumUp sums up one of a cost's figures, which must be known.
func (c Cost) SumUp(f Figure) stat.Summary {
	samples := plain.Map(f.Values, func(v cost.Value) judge.Sample {
		return judge.Sample{Operator: c.Label(), Run: c.Run, Block: v.Round, Value: v.Value, Outcome: judge.OK}
	})
	sum := stat.Summarize(slices.Values(samples))[0]
	sum.P50.Value = f.Median()
	return sum
}
