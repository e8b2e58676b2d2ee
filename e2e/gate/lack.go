package gate

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Lack is something that base had and head has not, or a right that only head has: never fine.
type Lack struct {
	What    string  `json:"what"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
}

// Message says what is lacking, and why that matters.
func (l *Lack) Message() string { return l.What + ": " + l.Why }

// compareLacks fills Lacks.
func (r *Result) compareLacks() {
	if c := r.comparison(); c != nil {
		for _, gone := range c.Gone {
			r.lack(strings.Join(strings.Fields(gone.Style+" "+gone.Scenario+" "+gone.Oracle), " "), Regression, "base has it and head has not: "+gone.Why)
		}
	}
	r.lackScenarios()
	r.lackOracles()
	for _, was := range r.Base.styles() {
		for _, is := range r.Head.styles() {
			if was.Name == is.Name {
				r.lackDeclared(was, is)
				r.lackShown(was, is)
			}
		}
	}
}

func (r *Result) lack(what string, v Verdict, why string) {
	if !slices.ContainsFunc(r.Lacks, func(l Lack) bool { return l.What == what }) {
		r.Lacks = append(r.Lacks, Lack{what, v, why})
	}
}

func (s Side) styles() []record.Style {
	return slices.DeleteFunc(slices.Clone(s.Recording.Judgement.Header.Styles), func(one record.Style) bool {
		return one.Variant != s.Variant || one.Name == spec.Floor
	})
}

// lackScenarios notes what head was not driven through, and how much less often.
func (r *Result) lackScenarios() {
	was, is := r.Base.turns(), r.Head.turns()
	for _, one := range r.Base.driven() {
		if !slices.ContainsFunc(r.Head.driven(), func(other driven) bool { return other.style == one.style }) {
			verdict := Regression
			if len(was[one]) == 1 {
				verdict = Inconclusive // perhaps head's turn had not come yet
			}
			r.lack(one.style, verdict, fmt.Sprintf("base was driven in %s, head was not at all", plain.Plural(len(was[one]), "round")))
			continue
		}
		missing := len(plain.Where(was[one], func(round int) bool { return !slices.Contains(is[one], round) }))
		least := 0
		if r.Paired && missing == 1 && !slices.Contains(is[one], slices.Max(was[one])) {
			least = 1 // the last round was not finished
		}
		if !r.Paired {
			missing = len(was[one]) - len(is[one])
		}
		switch {
		case len(is[one]) == 0 && len(was[one]) > 1:
			r.lack(one.String(), Regression, fmt.Sprintf("base was driven through it in %s, head was not", plain.Plural(len(was[one]), "round")))
		case len(is[one]) == 0:
			r.lack(one.String(), Inconclusive, "base was driven through it, head was not")
		case missing > least && (r.Paired || 2*missing >= len(was[one])):
			r.lack(one.String(), Inconclusive, fmt.Sprintf("head was driven through it in only %d of base's %s", len(was[one])-missing, plain.Plural(len(was[one]), "round")))
		}
	}
}

// lackOracles notes what was judged at base and is not judged at head. A scenario that head never passed, and base did,
// has its own verdict: where a sample fails, there is often nothing left for other oracles to judge.
func (r *Result) lackOracles() {
	was, is := r.Base.judgedBy(), r.Head.judgedBy()
	type ofStyle struct {
		style, oracle string
		unheard       bool
	}
	var lost plain.Groups[ofStyle, string] // scenarios
	for _, one := range was {
		if slices.Contains(is, one) || !slices.ContainsFunc(r.Scenarios, func(s Scenario) bool {
			return s.Style == one.style && s.Scenario == one.scenario && (s.Head.Passed > 0 || rank(s.Verdict) > rank(Inconclusive))
		}) {
			continue
		}
		lost.Add(ofStyle{one.style, one.oracle, r.Head.unheard(one)}, one.scenario)
	}
	for _, what := range lost.Keys {
		verdict := Regression
		if what.unheard {
			verdict = Inconclusive // the harness lost what that one needs
		}
		r.lack(what.style+" "+what.oracle, verdict, fmt.Sprintf("this oracle judged %s at base, and at head it does not", strings.Join(lost.Of[what], ", ")))
	}
}

// unheard reports whether an oracle did not apply to some sample as the harness did not hear what it needs.
func (s Side) unheard(one judgedBy) bool {
	for result := range s.compared() {
		if result.Style == one.style && result.Scenario == one.scenario &&
			slices.ContainsFunc(result.Verdicts, func(v judge.Verdict) bool { return v.Oracle == one.oracle && v.Unheard }) {
			return true
		}
	}
	return false
}

type judgedBy struct{ style, scenario, oracle string }

// judgedBy lists which oracles came to a judgement.
func (s Side) judgedBy() []judgedBy {
	var list []judgedBy
	for result := range s.compared() {
		for _, v := range result.Verdicts {
			one := judgedBy{result.Style, result.Scenario, v.Oracle}
			// What nothing is held against says nothing: see judge.Released.
			if v.Outcome != spec.NotApplicable && v.Oracle != judge.Released && !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list
}

// lackDeclared notes what head's style.yaml declares not to do any more.
func (r *Result) lackDeclared(was, is record.Style) {
	after := is.Declares.All()
	for i, before := range was.Declares.All() {
		switch now := after[i]; {
		case !before.Supported || !now.Known():
		case now.Supported:
			r.lackFields(was.Name, before, now)
		default:
			r.lack(was.Name+" declares "+now.Name, Regression, "supported at base, and head's style.yaml declares that it is not: "+now.Reason)
		}
	}
}

// lackShown notes which of its parts head hides, and what it lets its Deployment have otherwise than the reference.
func (r *Result) lackShown(was, is record.Style) {
	for _, before := range was.Components {
		if !slices.ContainsFunc(is.Components, func(now spec.Component) bool { return now.Name == before.Name }) {
			r.lack(was.Name+" component "+before.Name, Regression, "base's style.yaml names it, and head's does not: neither its restarts nor its memory would count")
		}
	}
	for _, now := range is.Differs {
		if !slices.ContainsFunc(was.Differs, func(before spec.Difference) bool {
			return now.Path == before.Path || strings.HasPrefix(now.Path, before.Path+".") // a path is one of all below it
		}) {
			r.lack(was.Name+" differs "+now.Path, Regression, "head's style.yaml lets the main child have it otherwise than the reference, and base's does not: "+now.Reason)
		}
	}
}

// lackFields notes which fields of the status head declares to write no more.
func (r *Result) lackFields(style string, before, now spec.Named) {
	for _, field := range before.Fields {
		if len(now.Fields) > 0 && !slices.Contains(now.Fields, field) {
			r.lack(style+" declares "+now.Name+"."+field, Regression, "written at base, and head's style.yaml does not declare it")
		}
	}
	if before.Ready != "" && now.Ready == "" {
		r.lack(style+" declares "+now.Name+" ready", Regression, "condition "+before.Ready+" at base, and head's style.yaml declares none")
	}
}
