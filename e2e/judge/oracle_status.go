package judge

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"operatorbench/e2e/record"
)

// status is oracle 7, for styles that declare to write the status. Of what they
// declare to write it must be right at the end, of each custom resource that is
// to stay:
//
//   - nodes names exactly the pods that run;
//   - observedGeneration is the custom resource's generation;
//   - replicas is the number of its pods;
//   - selector is a label selector that selects exactly its pods;
//   - conditions have a type, a status and a reason, and none is of a generation
//     that is not there yet; that which says that size pods are ready is True, of
//     the newest generation, if they are, and is not if they are not.
//
// What the scale subresource answered must be right too. And none of it may ever
// have said what was not so yet: see claims.
func status(t *Timeline) Verdict {
	switch {
	case !t.Style.Declares.Status.Supported:
		return notApplicable("the style %s declares that it writes no status", t.Style.Name)
	case t.Sample.Size == nil:
		return notApplicable("the custom resource is to be gone")
	}
	evidence := t.evidence(of(CustomResources, Pods))
	for _, s := range t.subjects {
		if s.size == nil {
			continue
		}
		if wrong := t.statusWrong(s); wrong != "" {
			return fail(evidence, "expected %s at %s", wrong, t.since(t.EndedAt))
		}
		if wrong := t.scaleWrong(s); wrong != "" {
			return fail(evidence, "expected %s", wrong)
		}
		if claim := t.falseClaim(s); claim != "" {
			return fail(evidence, "expected a status that never says what is not so yet; %s", claim)
		}
	}
	return pass("%s", t.statusTold())
}

// statusTold says what the status of the sample's own custom resource says.
func (t *Timeline) statusTold() string {
	custom := t.custom()
	var told []string
	for _, one := range []struct{ field, text string }{
		{"nodes", fmt.Sprintf("status.nodes names the %s that run", plural(len(custom.Nodes), "pod"))},
		{"observedGeneration", fmt.Sprintf("of generation %d", custom.ObservedGeneration)},
		{"replicas", fmt.Sprintf("status.replicas %d", custom.StatusReplicas)},
		{"selector", "status.selector " + custom.Selector},
	} {
		if t.style.says(one.field) {
			told = append(told, one.text)
		}
	}
	if t.style.says("conditions") {
		for _, c := range custom.Conditions {
			told = append(told, fmt.Sprintf("%s %s (%s)", c.Type, c.Status, c.Reason))
		}
	}
	return strings.Join(told, ", ")
}

// statusWrong says what is expected of a custom resource's status at the end, and
// is not so.
func (t *Timeline) statusWrong(s *subject) string {
	custom := t.customOf(s)
	if custom == nil {
		return fmt.Sprintf("the status of %s; the custom resource was not there", s.name)
	}
	if want := max(s.want, custom.Generation); t.style.says("observedGeneration") && custom.ObservedGeneration != want {
		return fmt.Sprintf("status.observedGeneration %d; seen %d", want, custom.ObservedGeneration)
	}
	pods := t.ownPods(s)
	if t.style.says("nodes") {
		running := namesOf(slices.DeleteFunc(slices.Clone(pods), func(p *Object) bool { return p.Phase != "Running" }))
		if nodes := slices.Sorted(slices.Values(custom.Nodes)); !slices.Equal(nodes, running) {
			return fmt.Sprintf("status.nodes to name the running pods [%s]; seen [%s]", strings.Join(running, " "), strings.Join(nodes, " "))
		}
	}
	if t.style.says("replicas") && custom.StatusReplicas != len(pods) {
		return fmt.Sprintf("status.replicas %d, the number of its pods; seen %d", len(pods), custom.StatusReplicas)
	}
	if t.style.says("selector") {
		if wrong := t.selectorWrong(s, custom.Selector); wrong != "" {
			return "status.selector to be " + wrong
		}
	}
	return t.conditionsWrong(s, custom)
}

// ownPods are the pods of a custom resource that are there to stay.
func (t *Timeline) ownPods(s *subject) []*Object {
	return living(t.world.pods, func(p *entity) bool {
		set := t.world.replicaSets[p.owner]
		if set == nil || p.Deleting || p.Phase == "Succeeded" || p.Phase == "Failed" {
			return false
		}
		d := t.world.deployments[set.owner]
		return d != nil && s.isChild(d)
	})
}

func namesOf(objects []*Object) []string {
	var list []string
	for _, o := range objects {
		list = append(list, o.Name)
	}
	slices.Sort(list)
	return list
}

// selectorWrong says what is wrong with the selector of a custom resource's pods,
// as a sentence that says first what is expected. Which pods it selects is known
// where their labels are, in the correctness matrix.
func (t *Timeline) selectorWrong(s *subject, text string) string {
	selector, err := labels.Parse(text)
	if err != nil || selector.Empty() {
		return fmt.Sprintf("a label selector that selects its pods; seen %q", text)
	}
	if !t.matrix {
		return ""
	}
	selected := living(t.world.pods, func(p *entity) bool {
		return p.Namespace == s.namespace && !p.Deleting && p.Phase != "Succeeded" && p.Phase != "Failed" &&
			p.Detail != nil && selector.Matches(labels.Set(p.Detail.Labels))
	})
	if own, found := namesOf(t.ownPods(s)), namesOf(selected); !slices.Equal(own, found) {
		return fmt.Sprintf("a label selector of its pods [%s]; seen %q, which selects [%s]", strings.Join(own, " "), text, strings.Join(found, " "))
	}
	return ""
}

// readiness is what the condition that a style declares for it says.
type readiness struct {
	there, yes bool
	reason     string
	generation int64 // of which it says so; 0: it does not tell
}

// ready looks for the condition of a type.
func (o *Object) ready(kind string) readiness {
	for _, c := range o.Conditions {
		if c.Type == kind && kind != "" {
			return readiness{true, c.Status == "True", c.Reason, c.ObservedGeneration}
		}
	}
	return readiness{}
}

// conditionsWrong says what is expected of the conditions at the end.
func (t *Timeline) conditionsWrong(s *subject, custom *Object) string {
	if !t.style.says("conditions") {
		return ""
	}
	if len(custom.Conditions) == 0 {
		return "conditions in the status; seen none"
	}
	if wrong := malformed(custom); wrong != "" {
		return wrong
	}
	kind := t.style.Declares.Status.Ready
	if kind == "" {
		return ""
	}
	want, ready := max(s.want, custom.Generation), custom.ready(kind)
	lacks := t.sizeLacks(s, *s.size)
	if s.life == &t.acts.life && t.Sample.Unmeetable {
		lacks = "what is asked for cannot be brought about"
	}
	ofNow := ready.generation == 0 || ready.generation == want
	switch {
	case !ready.there:
		return fmt.Sprintf("a condition %s; there is none of that type", kind)
	case lacks != "" && ready.yes && ofNow:
		return fmt.Sprintf("condition %s not to be True, for %s; seen True (%s)", kind, lacks, ready.reason)
	case lacks == "" && !(ready.yes && ofNow):
		return fmt.Sprintf("condition %s to be True for generation %d; seen %s", kind, want, custom.condition(kind))
	}
	return ""
}

// condition is a condition as people read it.
func (o *Object) condition(kind string) string {
	for _, c := range o.Conditions {
		if c.Type != kind {
			continue
		}
		text := fmt.Sprintf("%s (%s)", c.Status, c.Reason)
		if c.ObservedGeneration > 0 {
			text += fmt.Sprintf(" for generation %d", c.ObservedGeneration)
		}
		return text
	}
	return "none"
}

// malformed says what a custom resource's conditions lack whatever they say.
func malformed(custom *Object) string {
	for _, c := range custom.Conditions {
		switch {
		case c.Type == "":
			return "each condition to have a type; seen one without"
		case !slices.Contains([]string{"True", "False", "Unknown"}, c.Status):
			return fmt.Sprintf("condition %s to be True, False or Unknown; seen %q", c.Type, c.Status)
		case c.Reason == "":
			return fmt.Sprintf("condition %s to have a reason; seen none", c.Type)
		case c.ObservedGeneration > custom.Generation:
			return fmt.Sprintf("condition %s to be of generation %d at most; seen %d", c.Type, custom.Generation, c.ObservedGeneration)
		}
	}
	return ""
}

// scaleWrong says what is expected of what the scale subresource answered at last,
// when all was at rest, and is not so.
func (t *Timeline) scaleWrong(s *subject) string {
	for _, e := range slices.Backward(t.Events) {
		if e.Kind != record.KindAction || e.Action.Verb != record.ReadScale || e.Action.Error != "" || t.subject(e.Action.Namespace, e.Action.Name) != s {
			continue
		}
		scale, err := replyOf(e.Action)
		if err != nil {
			return "the scale subresource to say how many pods there are; " + err.Error()
		}
		then := t.stateAt(e.Action.From)
		pods, at := then.ownPods(s), t.since(e.Time)
		if t.style.says("replicas") && scale.StatusReplicas != len(pods) {
			return fmt.Sprintf("the scale subresource to count %s at %s; it said %d", plural(len(pods), "pod"), at, scale.StatusReplicas)
		}
		if !t.style.says("selector") {
			return ""
		}
		if wrong := then.selectorWrong(s, scale.Selector); wrong != "" {
			return fmt.Sprintf("the selector of the scale subresource at %s to be %s", at, wrong)
		}
		return ""
	}
	return ""
}
