package styles

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
)

// distinct refuses two objects that style.yaml says must not be alike: those
// that have at every path some value in common.
func (c *checks) distinct() {
	for _, rule := range c.Distinct {
		var before []placed
		var values [][][]string // of each object before, at each path
		for _, obj := range c.all {
			if obj.GetAPIVersion() != rule.APIVersion || obj.GetKind() != rule.Kind {
				continue
			}
			mine, err := valuesAt(rule, obj)
			if err != nil {
				c.fail(c.problem(obj.from, err))
				return
			}
			alike := func(other [][]string) bool { return shareAll(mine, other) }
			if i := slices.IndexFunc(values, alike); i >= 0 {
				c.about(obj, "is not distinct from %s: %s", kube.Describe(before[i].Unstructured), rule.Reason)
			}
			before, values = append(before, obj), append(values, mine)
		}
	}
}

// valuesAt lists what an object has at each path of a rule, as JSON.
func valuesAt(rule spec.Distinct, obj placed) ([][]string, error) {
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", kube.Describe(obj.Unstructured), err)
	}
	values := make([][]string, len(rule.Paths))
	for i, path := range rule.Paths {
		for _, value := range gjson.GetBytes(text, path).Array() {
			values[i] = append(values[i], value.Raw)
		}
	}
	return values, nil
}

// shareAll reports whether two objects have at every path a value in common.
func shareAll(one, other [][]string) bool {
	for i := range one {
		if !slices.ContainsFunc(one[i], func(value string) bool { return slices.Contains(other[i], value) }) {
			return false
		}
	}
	return true
}
