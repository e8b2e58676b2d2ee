package judge

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

var statusOracle = Named{Name: "status", Needs: onAll, Shows: []timeline.Role{timeline.RoleCustom, timeline.RolePods}, Judge: status, OfTheEnd: true, Told: true}

// status is oracle 7, for styles that declare to write the status. The fields that they declare must be right at the
// end, for each custom resource that is to stay:
//
//   - nodes names exactly the pods that run;
//   - observedGeneration is the custom resource's generation;
//   - replicas is the number of its pods;
//   - selector is a label selector that selects exactly its pods;
//   - conditions have a type, a status and a reason, and none is of a generation
//     that is not there yet; the one that says that size pods are ready is True, of
//     the newest generation, if they are, and is not if they are not.
//
// What the scale subresource answered must be right too. And none of it may ever
// have said what was not so yet, or taken back what stands: see claims.
func status(t *timeline.Timeline) Verdict {
	switch {
	case !t.Style.Declares.Status.Supported:
		return notApplicable("the style %s declares that it writes no status", t.Style.Name)
	case t.Sample.Size == nil:
		return notApplicable("the custom resource is to be gone")
	}
	for _, s := range t.Subjects {
		if s.Size == nil {
			continue
		}
		if wrong := statusWrong(t, s); wrong != "" {
			return fail(nil, "expected %s at %s%s", wrong, t.Since(t.EndedAt), t.Denied())
		}
		if wrong := scaleWrong(t, s); wrong != "" {
			return fail(nil, "expected %s", wrong)
		}
		if claim := falseClaim(t, s); claim != "" {
			return fail(nil, "expected %s", claim)
		}
	}
	return pass("%s", statusSaid(t))
}

// statusSaid says what the status of the sample's own custom resource says.
func statusSaid(t *timeline.Timeline) string {
	custom := t.Custom()
	var said []string
	for _, one := range []struct{ field, text string }{
		{"nodes", fmt.Sprintf("status.nodes names the %s that run", plain.Plural(len(custom.Nodes), "pod"))},
		{"observedGeneration", fmt.Sprintf("of generation %d", custom.ObservedGeneration)},
		{"replicas", fmt.Sprintf("status.replicas %d", custom.StatusReplicas)},
		{"selector", "status.selector " + custom.Selector},
	} {
		if t.Style.Says(one.field) {
			said = append(said, one.text)
		}
	}
	if t.Style.Says("conditions") {
		for _, c := range custom.Conditions {
			said = append(said, fmt.Sprintf("%s %s (%s)", c.Type, c.Status, c.Reason))
		}
	}
	return strings.Join(said, ", ")
}

// statusWrong says what is expected of a custom resource's status at the end, and is not so.
func statusWrong(t *timeline.Timeline, s *timeline.Subject) string {
	custom := t.CustomOf(s)
	if custom == nil {
		return fmt.Sprintf("the status of %s; the custom resource was not there", s.Name)
	}
	if want := max(s.Want, custom.Generation); t.Style.Says("observedGeneration") && custom.ObservedGeneration != want {
		return fmt.Sprintf("status.observedGeneration %d; seen %d", want, custom.ObservedGeneration)
	}
	pods := ownPods(t, s)
	if t.Style.Says("nodes") {
		running := namesOf(plain.Where(pods, func(p *wire.Object) bool { return p.Phase == "Running" }))
		if nodes := slices.Sorted(slices.Values(custom.Nodes)); !slices.Equal(nodes, running) {
			return fmt.Sprintf("status.nodes to name the running pods [%s]; seen [%s]", strings.Join(running, " "), strings.Join(nodes, " "))
		}
	}
	if t.Style.Says("replicas") && custom.StatusReplicas != len(pods) {
		return fmt.Sprintf("status.replicas %d, the number of its pods; seen %d", len(pods), custom.StatusReplicas)
	}
	if t.Style.Says("selector") {
		if wrong := selectorWrong(t, s, custom.Selector); wrong != "" {
			return "status.selector to be " + wrong
		}
	}
	return conditionsWrong(t, s, custom)
}

// ownPods are the pods of a custom resource that are there to stay.
func ownPods(t *timeline.Timeline, s *timeline.Subject) []*wire.Object {
	return plain.Where(t.World.PodsOf(s.IsChild), timeline.Stays)
}

func namesOf(objects []*wire.Object) []string {
	list := plain.Map(objects, func(o *wire.Object) string { return o.Name })
	slices.Sort(list)
	return list
}

// selectorWrong says what is wrong with the selector of a custom resource's pods, as a sentence that says first what is
// expected. Which pods it selects is known where their labels are, in the correctness matrix.
func selectorWrong(t *timeline.Timeline, s *timeline.Subject, text string) string {
	selector, err := labels.Parse(text)
	if err != nil || selector.Empty() {
		return fmt.Sprintf("a label selector that selects its pods; seen %q", text)
	}
	if !t.Matrix {
		return ""
	}
	selected := timeline.Living(t.World.Pods, func(p *timeline.Entity) bool {
		return p.Namespace == s.Namespace && timeline.Stays(p.Object) && p.Detail != nil && selector.Matches(labels.Set(p.Detail.Labels))
	})
	if own, found := namesOf(ownPods(t, s)), namesOf(selected); !slices.Equal(own, found) {
		return fmt.Sprintf("a label selector of its pods [%s]; seen %q, which selects [%s]", strings.Join(own, " "), text, strings.Join(found, " "))
	}
	return ""
}

// conditionsWrong says what is expected of the conditions at the end.
func conditionsWrong(t *timeline.Timeline, s *timeline.Subject, custom *wire.Object) string {
	if !t.Style.Says("conditions") {
		return ""
	}
	if len(custom.Conditions) == 0 {
		return "conditions in the status; seen none"
	}
	if wrong := malformed(custom); wrong != "" {
		return wrong
	}
	kind := t.Style.Declares.Status.Ready
	if kind == "" {
		return ""
	}
	want, ready := max(s.Want, custom.Generation), custom.Condition(kind)
	lacks := t.SizeLacks(s, *s.Size)
	if s.Life == &t.Actions.Life && t.Sample.Unmeetable {
		lacks = "what is asked for cannot be brought about"
	}
	ofNow := ready.ObservedGeneration == 0 || ready.ObservedGeneration == want
	switch {
	case ready.Type == "":
		return fmt.Sprintf("a condition %s; there is none of that type", kind)
	case lacks != "" && ready.True() && ofNow:
		return fmt.Sprintf("condition %s not to be True, for %s; seen True (%s)", kind, lacks, ready.Reason)
	case lacks == "" && !(ready.True() && ofNow):
		return fmt.Sprintf("condition %s to be True for generation %d; seen %s", kind, want, condition(ready))
	}
	return ""
}

// condition is a condition as people read it.
func condition(c wire.Condition) string {
	text := fmt.Sprintf("%s (%s)", c.Status, c.Reason)
	if c.ObservedGeneration > 0 {
		text += fmt.Sprintf(" for generation %d", c.ObservedGeneration)
	}
	return text
}

// malformed says what a custom resource's conditions lack whatever they say.
func malformed(custom *wire.Object) string {
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

// scaleWrong says what the scale subresource should have answered at last, when all was at rest, and did not.
func scaleWrong(t *timeline.Timeline, s *timeline.Subject) string {
	for _, e := range slices.Backward(t.Events) {
		if e.Kind != record.KindAction || e.Action.Verb != record.ReadScale || e.Action.Error != "" || t.Subject(e.Action.Namespace, e.Action.Name) != s {
			continue
		}
		scale, err := t.ReplyOf(e.Action)
		if err != nil {
			return "the scale subresource to say how many pods there are; " + err.Error()
		}
		then := t.StateAt(e.Action.From)
		pods, at := ownPods(then, s), t.Since(e.Time)
		if t.Style.Says("replicas") && scale.StatusReplicas != len(pods) {
			return fmt.Sprintf("the scale subresource to count %s at %s; it said %d", plain.Plural(len(pods), "pod"), at, scale.StatusReplicas)
		}
		if !t.Style.Says("selector") {
			return ""
		}
		if wrong := selectorWrong(then, s, scale.Selector); wrong != "" {
			return fmt.Sprintf("the selector of the scale subresource at %s to be %s", at, wrong)
		}
		return ""
	}
	return ""
}
