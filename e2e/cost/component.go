package cost

import (
	"strings"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/labels"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// component is a spec.Component made ready for use.
type component struct {
	spec.Component
	selector labels.Selector
}

// compile leaves out a component whose selector cannot be read: its pods are then named by what owns them.
func compile(components []spec.Component) []component {
	var all []component
	for _, c := range components {
		if selector, err := labels.Parse(c.Selector); err == nil && !selector.Empty() {
			all = append(all, component{c, selector})
		}
	}
	return all
}

// unknownPods are those that no watch told of.
const unknownPods = "unknown pods"

// componentOf names the part of the style that a pod belongs to: its component or, for a pod that no component selects,
// the kind of its owner: "workflow pods", "job pods"; "other pods" have none.
func (s *style) componentOf(w *record.Watch) string {
	set := labels.Set{}
	gjson.GetBytes(w.Object, "metadata.labels").ForEach(func(key, value gjson.Result) bool {
		set[key.String()] = value.String()
		return true
	})
	for _, c := range s.components {
		if c.Namespace == w.Namespace && c.selector.Matches(set) {
			return c.Name
		}
	}
	kind := gjson.GetBytes(w.Object, "metadata.ownerReferences.0.kind").String()
	if kind == "" {
		kind = "other"
	}
	return strings.ToLower(kind) + " pods"
}
