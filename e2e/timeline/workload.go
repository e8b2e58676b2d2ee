package timeline

import (
	"fmt"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/expr"
	"operatorbench/e2e/spec/workloads"
	"operatorbench/e2e/timeline/wire"
)

// Workload is the workload of a recording, made ready for use.
type Workload struct {
	Spec  spec.Workload
	Child spec.ChildKind // the main one
	*wire.Layout

	knob   string           // the name of the knob that scales
	ready  *expr.Expression // nil: to be rolled out is to be ready
	failed *expr.Expression // nil: it never says so
	paused *expr.Expression // nil: it never says so
	gone   *expr.Expression // nil: its main child, its pods and what is named are all that must go
	named  []named          // children beside the main one
}

// named is a child whose name is known.
type named struct {
	spec.ChildKind
	name *bounds.Template
}

// workloadOf is the workload of a recording.
func workloadOf(h *record.Header) (*Workload, error) {
	w, err := workloads.Recorded(h.Workload)
	if err != nil {
		return nil, err
	}
	is := &Workload{Spec: *w, Child: w.Main()}
	is.knob, _ = w.ScaleKnob()
	for _, child := range w.Children {
		if child.Name == "" {
			continue
		}
		name, err := bounds.NewTemplate(child.Name)
		if err != nil {
			return nil, fmt.Errorf("workload %s: children: the name of %s: %w", w.Name, child.ID, err)
		}
		is.named = append(is.named, named{child, name})
	}
	if err := is.compile(); err != nil {
		return nil, err
	}
	others := is.read(is.ready, is.failed, is.paused, is.gone)
	for _, child := range is.named {
		others = plain.Once(others, child.Resource)
	}
	is.Layout = wire.NewLayout(w, slices.DeleteFunc(others, func(resource string) bool { return resource == is.Child.Resource })...)
	return is, nil
}

// compile compiles the expressions of the phases.
func (w *Workload) compile() error {
	phases := w.Spec.Phases.Named()
	if len(phases) == 0 {
		return nil
	}
	env, err := expr.Untyped(w.Spec.ChildIDs()...)
	if err != nil {
		return err
	}
	into := map[string]**expr.Expression{"ready": &w.ready, "failed": &w.failed, "paused": &w.paused, "gone": &w.gone}
	for phase, text := range phases {
		if *into[phase], err = env.Compile(text); err != nil {
			return fmt.Errorf("workload %s: phases.%s: %w", w.Spec.Name, phase, err)
		}
	}
	return nil
}

// read are the resources of the children that expressions read; one may be nil.
func (w *Workload) read(expressions ...*expr.Expression) []string {
	var resources []string
	for _, child := range w.Spec.Children {
		if slices.ContainsFunc(expressions, func(e *expr.Expression) bool { return e != nil && e.Reads(child.ID) }) {
			resources = plain.Once(resources, child.Resource)
		}
	}
	return resources
}

// Role is what an object is to a custom resource.
type Role string

// The roles. What runs between the main child and its pods, a ReplicaSet, is there where the main child is a
// Deployment.
const (
	RoleCustom Role = "custom resource"
	RoleMain   Role = "main child"
	RoleSets   Role = "replica sets"
	RolePods   Role = "pods"
	RoleEvents Role = "events"
)

// Resource is the resource of a role, as in recordings; empty: the workload has none in that role.
func (w *Workload) Resource(role Role) string {
	switch role {
	case RoleCustom:
		return w.Customs
	case RoleMain:
		return w.Mains
	case RoleSets:
		if w.Mains != spec.Deployments {
			return ""
		}
		return spec.ReplicaSets
	case RolePods:
		return spec.Pods
	case RoleEvents:
		return spec.Events
	}
	return ""
}

// Resources lists the resources of roles.
func (w *Workload) Resources(roles ...Role) []string {
	list := make([]string, 0, len(roles))
	for _, role := range roles {
		if resource := w.Resource(role); resource != "" {
			list = append(list, resource)
		}
	}
	return list
}

// concerns reports whether an operator of the workload reads a resource for its custom resources: who may not list
// namespaces, say, may still do all that it is asked for.
func (w *Workload) concerns(resource string) bool {
	return w.IsRead(resource) || slices.ContainsFunc(w.Spec.Children, func(c spec.ChildKind) bool { return c.Resource == resource })
}

// goneNeeds are the resources by which all of a custom resource is known to be gone.
func (w *Workload) goneNeeds() []string {
	return append(w.Resources(RoleMain, RoleSets, RolePods), w.Others...)
}

// Written are the resources that an operator itself writes: the custom resource and its main child.
func (w *Workload) Written() []string { return []string{w.Customs, w.Mains} }

// readyNeeds are the resources by which a custom resource is known to be ready.
func (w *Workload) readyNeeds() []string {
	if w.ready == nil && w.failed == nil {
		return []string{w.Mains}
	}
	return plain.Once(w.Written(), w.read(w.ready, w.failed)...)
}

// readyLacks says what a custom resource lacks to be ready with a size, where this is its main child; nil: it has none.
// Of the floor, which writes nothing else, the main child is all.
func (t *Timeline) readyLacks(s *Subject, child *wire.Object, size int) string {
	says := t.Style.Control != spec.Harness
	switch {
	case says && t.failed != nil && t.phaseLacks(t.failed, s, child, size) == "":
		return fmt.Sprintf("%s %s says that it has failed: phases.failed holds", t.Spec.Resource.Kind, s.Name)
	case child == nil:
		return t.NoChild(s)
	}
	lacks := t.RolloutLacks(child, size)
	if lacks == "" && says && t.ready != nil {
		lacks = t.phaseLacks(t.ready, s, child, size)
	}
	if lacks == "" && s == t.Subjects[0] {
		lacks = t.rollLacks(s)
	}
	return lacks
}

// PausedLacks says what a custom resource lacks to say that it is paused; "": nothing, or it has no way to say so, or
// is gone.
func (t *Timeline) PausedLacks(s *Subject) string {
	custom := t.CustomOf(s)
	if t.paused == nil || custom == nil {
		return ""
	}
	return t.phaseLacks(t.paused, s, t.ChildOf(s), custom.Size)
}

// RemainsLack says what is left, beside main child and pods, of a custom resource that is not there, by the names of its
// children and by phases.gone; "": nothing, or it never was.
func (t *Timeline) RemainsLack(s *Subject) string {
	was := t.World.customs[s.uid()]
	if was == nil {
		return ""
	}
	text := func(left string) string {
		return fmt.Sprintf("of %s %s something is left: %s", t.Spec.Resource.Kind, s.Name, left)
	}
	for _, child := range t.named {
		name, err := child.name.Fill(s.Namespace, s.Name)
		left := First(t.World.of(child.Resource), func(o *Entity) bool {
			return err == nil && o.Namespace == s.Namespace && o.Name == name && !t.occupies(child.Resource, o)
		})
		if left != nil {
			return text(Title(child.Resource, name))
		}
	}
	if t.gone == nil {
		return ""
	}
	lacks, steps := t.gone.Lacks(t.values(t.gone, s, was.Object, was.Size))
	if !t.effort.spend(steps) || lacks == "" {
		return ""
	}
	return text(lacks)
}

// values are what the variables of a phase hold, of a custom resource as it is or was and a size. Each child is the list of
// what there is of its kind in the namespace; the main one is there in phases.gone alone.
func (t *Timeline) values(phase *expr.Expression, s *Subject, custom *wire.Object, size int) map[string]any {
	values := map[string]any{expr.Custom: custom.Fields, expr.Knob: map[string]any{t.knob: int64(size)}}
	for _, child := range t.Spec.Children {
		if !phase.Reads(child.ID) || child.Main && phase != t.gone {
			continue
		}
		list := []any{}
		for _, o := range Living(t.World.of(child.Resource), func(o *Entity) bool { return o.Namespace == s.Namespace && !t.occupies(child.Resource, o) }) {
			list = append(list, o.Fields)
		}
		values[child.ID] = list
	}
	return values
}

// occupies reports whether an object is somebody else's, whom the harness has put in a child's place.
func (t *Timeline) occupies(resource string, o *Entity) bool {
	is := false
	for i := range t.Faults {
		if f := t.Faults[i].Fault; f.Kind == spec.FaultOccupy && slices.Contains(f.Objects, Place(resource, o.Namespace, o.Name)) {
			is = f.Stage == record.Begun
		}
	}
	return is
}

// Place is an object as faults name it: plural/namespace/name.
func Place(resource, namespace, name string) string {
	return Kind(resource) + "/" + namespace + "/" + name
}

// phaseLacks says what a custom resource lacks to be in a phase, where this is its main child and the size that is
// asked for.
func (t *Timeline) phaseLacks(phase *expr.Expression, s *Subject, child *wire.Object, size int) string {
	custom := t.CustomOf(s)
	if custom == nil {
		return fmt.Sprintf("the custom resource %s has not been seen", s.Name)
	}
	values := t.values(phase, s, custom, size)
	switch {
	case t.Child.Many:
		values[t.Child.ID] = fieldsOf(t.pods(s))
	case child != nil:
		values[t.Child.ID] = child.Fields
	default:
		values[t.Child.ID] = map[string]any{}
	}
	lacks, steps := phase.Lacks(values)
	if !t.effort.spend(steps) || lacks == "" {
		return ""
	}
	return fmt.Sprintf("of %s %s: %s", t.Spec.Resource.Kind, s.Name, lacks)
}

// RunsPods names the kinds that run a custom resource's pods, and the pods, as a list with or.
func (w *Workload) RunsPods() string {
	switch {
	case w.Child.Many:
		return "pod"
	case w.Resource(RoleSets) == "":
		return w.Child.Kind + " or pod"
	}
	return w.Child.Kind + ", ReplicaSet or pod"
}
