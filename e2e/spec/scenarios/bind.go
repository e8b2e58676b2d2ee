package scenarios

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// What a file says where each workload has its own.
const (
	ownChild   = "child"     // the resource of the main child, in forbid and refuse
	ownCustom  = "custom"    // the custom resource, in refuse
	childWords = "{child}"   // the kind of the main child, in description and standsFor
	sameName   = "elsewhere" // in on: the name of the scenario's own custom resource, in a second namespace
)

// For binds a scenario to a workload. Its sizes become those that the knob that scales can be set to, in the same
// order, and what it says of the main child is said of the workload's. Why says in one sentence what the workload lacks
// for it; "": nothing.
func (s Scenario) For(w *spec.Workload) (bound Scenario, why string) {
	bound = s.clone()
	bound.workload = w.Name
	for _, text := range []*string{&bound.Description, &bound.StandsFor} {
		*text = strings.ReplaceAll(*text, childWords, w.Main().Kind)
	}
	why = bound.resize(w)
	for i := range bound.Steps {
		if lacks := bound.bind(&bound.Steps[i], w); why == "" {
			why = lacks
		}
	}
	why = cmp.Or(why, bound.misnamed(w), bound.unheard(w))
	if s.Workload != "" && s.Workload != w.Name {
		why = fmt.Sprintf("the scenario is of the workload %s alone", s.Workload)
	}
	bound.unfit = why
	return bound, why
}

// Unfit says why the workload that the scenario is bound to cannot go through it; "": it can.
func (s Scenario) Unfit() string { return s.unfit }

// clone copies all that binding changes.
func (s Scenario) clone() Scenario {
	s.Given, s.Steps = copied(s.Given), slices.Clone(s.Steps)
	for i := range s.Steps {
		step := &s.Steps[i]
		step.Create, step.Patch, step.Apply, step.Scale = copied(step.Create), copied(step.Patch), copied(step.Apply), copied(step.Scale)
		step.Series, step.Fault = copied(step.Series), copied(step.Fault)
		if step.Drift = copied(step.Drift); step.Drift != nil {
			step.Drift.Replicas = copied(step.Drift.Replicas)
		}
	}
	return s
}

func copied[T any](from *T) *T {
	if from == nil {
		return nil
	}
	to := *from
	return &to
}

// sizes are those that are asked for of custom resources, and those of the main child, which drifts to them.
func (s Scenario) sizes() (asked, drifts []*int) {
	specs := []*Spec{s.Given}
	for _, step := range s.Steps {
		specs = append(specs, step.Create, step.Patch, step.Apply, step.Scale)
		if step.Series != nil {
			asked = append(asked, &step.Series.Size)
		}
		if step.Drift != nil && step.Drift.Replicas != nil {
			drifts = append(drifts, step.Drift.Replicas)
		}
	}
	for _, one := range specs {
		if one != nil {
			asked = append(asked, &one.Size)
		}
	}
	return asked, drifts
}

// resize makes the sizes those of a workload, or says why it has none for them.
func (s *Scenario) resize(w *spec.Workload) string {
	_, knob := w.ScaleKnob()
	asked, drifts := s.sizes()
	outside := func(size *int) bool { return *size > 0 && !knob.Takes(*size) }
	if len(knob.Values) > 0 || slices.ContainsFunc(asked, outside) {
		if why := s.deal(w, knob, slices.Concat(asked, drifts)); why != "" {
			return why
		}
	}
	for _, size := range asked {
		if !knob.Takes(*size) {
			return fmt.Sprintf("the scenario asks for size %d, and %s of a %s takes %s", *size, knob.Path, w.Resource.Kind, knob.Range())
		}
	}
	states := map[string]*Spec{"": s.Given}
	for _, step := range s.Steps {
		before := states[step.On]
		after := step.result(before)
		if states[step.On] = after; before == nil || after == nil {
			continue
		}
		if why := knob.Lowers(before.Size, after.Size); why != "" {
			return fmt.Sprintf("the scenario lowers %s from %d to %d, and that cannot be done: %s", knob.Path, before.Size, after.Size, why)
		}
	}
	return ""
}

// deal gives each size above zero the value of the knob in its place, the least one the least.
func (s *Scenario) deal(w *spec.Workload, knob spec.Knob, sizes []*int) string {
	distinct := plain.Map(sizes, func(size *int) int { return *size })
	positive := func(list []int) []int {
		slices.Sort(list)
		return slices.DeleteFunc(slices.Compact(list), func(n int) bool { return n <= 0 })
	}
	distinct = positive(distinct)
	values := slices.DeleteFunc(positive(slices.Clone(knob.Values)), func(n int) bool { return n < s.least() })
	for n := max(knob.Min, s.least()); len(knob.Values) == 0 && n <= knob.Max && len(values) < len(distinct); n++ {
		values = append(values, n)
	}
	if len(distinct) > len(values) {
		above := "zero"
		if s.least() > 1 {
			above = "one"
		}
		return fmt.Sprintf("the scenario needs %d sizes above %s, and %s of a %s takes %s", len(distinct), above, knob.Path, w.Resource.Kind, knob.Range())
	}
	for _, size := range sizes {
		if at := slices.Index(distinct, *size); at >= 0 {
			*size = values[at]
		}
	}
	var words []string
	for i, size := range distinct {
		if size != values[i] {
			words = append(words, fmt.Sprintf("size %d is %d", size, values[i]))
		}
	}
	if len(words) > 0 {
		s.Description = fmt.Sprintf("%s Of the workload %s, %s.", strings.TrimSpace(s.Description), w.Name, strings.Join(words, ", "))
	}
	return ""
}

// misnamed says which custom resource has a name that the API server does not take; "": none.
func (s *Scenario) misnamed(w *spec.Workload) string {
	form, err := regexp.Compile("^(?:" + w.Names + ")$")
	if w.Names == "" || err != nil {
		return ""
	}
	names := []string{s.CustomName()}
	for _, step := range s.Steps {
		if step.On != "" {
			names = append(names, strings.TrimPrefix(step.On, Elsewhere))
		}
	}
	for _, name := range names {
		if !form.MatchString(name) {
			return fmt.Sprintf("the API server refuses the name %s: that of a %s matches %s", name, w.Resource.Kind, w.Names)
		}
	}
	return ""
}

// unheard says which step the API server refuses because the webhook that decides on it is down with the operator; "":
// none.
func (s *Scenario) unheard(w *spec.Workload) string {
	down := false
	for _, step := range s.Steps {
		switch {
		case step.Fault != nil:
			down = down || step.breaks(spec.FaultStop, spec.FaultCut) && step.Fault.What == spec.AllComponents
		case step.Mend == spec.FaultStop, step.Mend == spec.FaultCut:
			down = false
		case down && w.Admission && (step.Create != nil || step.Patch != nil || step.Apply != nil || step.Series != nil || step.Turn != "" || step.Pause != nil):
			return fmt.Sprintf("while the operator is down the API server takes no change of a %s: a webhook of the operator decides on it", w.Resource.Kind)
		}
	}
	return ""
}

// turns reports whether a workload has a knob with an effect.
func turns(w *spec.Workload, effect spec.Effect) bool {
	name, _ := w.Turned(effect)
	return name != ""
}

// least is the smallest size above zero that the scenario's sizes can become: where pods are lost or replaced one by
// one, another one is to stay.
func (s *Scenario) least() int {
	if slices.ContainsFunc(s.Steps, func(step Step) bool {
		return step.Turn == spec.Roll || step.Drift != nil && step.Drift.Pod != nil
	}) {
		return 2
	}
	return 1
}

// bind makes a step the workload's, and says what that lacks for it.
func (s *Scenario) bind(step *Step, w *spec.Workload) string {
	main := w.Main()
	if step.On == sameName {
		step.On = Elsewhere + s.CustomName()
	}
	if step.Drift != nil {
		step.Drift.child = main.Kind
	}
	var fault FaultKind
	if step.Fault != nil {
		fault = KindOfFault(step.Fault.Kind)
	}
	switch {
	case fault.Resource && step.Fault.What == ownChild:
		step.Fault.What = main.GroupResource()
	case fault.Resource && step.Fault.What == ownCustom:
		step.Fault.What = w.Resource.Plural + "." + w.Resource.Group
	}
	switch {
	case step.On == s.CustomName():
		return fmt.Sprintf("the scenario has a second custom resource that is named as those of the workload are, %s", step.On)
	case (step.Scale != nil || step.ReadScale != nil) && !w.ScaleSubresource:
		return fmt.Sprintf("a %s has no scale subresource", w.Resource.Kind)
	case step.Drift != nil && (step.Drift.Image != "" || step.Drift.Fields != nil) && !main.HasTemplate():
		return fmt.Sprintf("the main child of a %s is a %s, which makes no pods of a template that could drift", w.Resource.Kind, main.Kind)
	case step.Drift != nil && step.Drift.Replicas != nil && main.Scale == "":
		return fmt.Sprintf("the pods of a %s are its main children, and none has a number of them that could drift", w.Resource.Kind)
	case step.Pause != nil && len(w.Pause) == 0:
		return fmt.Sprintf("the workload %s does not say how a %s is paused", w.Name, w.Resource.Kind)
	case step.Turn != "" && !turns(w, step.Turn):
		return fmt.Sprintf("no knob of a %s has the effect %s", w.Resource.Kind, step.Turn)
	case step.Probe != "" && (w.Probe == nil || !w.Probe.Kept):
		return fmt.Sprintf("the workload %s has no probe that says that its volumes keep what it writes", w.Name)
	case fault.Unfit != nil:
		return fault.Unfit(w, step.Fault.What)
	}
	return ""
}
