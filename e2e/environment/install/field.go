package install

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/spec"
)

// awaitField returns when a field of an object, of whatever kind, has a wanted value.
func awaitField(ctx context.Context, c Cluster, field spec.Field) error {
	mapping, err := c.Kube.Mapping(schema.FromAPIVersionAndKind(field.APIVersion, field.Kind))
	if err != nil {
		return fmt.Errorf("look for the kind of %s %s: %w; a stage before this one must install its definition", field.Kind, path.Join(field.Namespace, field.Name), err)
	}
	what := field.Path + " = " + strings.Join(field.Equals, " or ")
	return c.Kube.WaitFor(ctx, mapping.Resource, field.Namespace, field.Name, what, func(obj *unstructured.Unstructured) (bool, string) {
		return holds(obj, field)
	})
}

// holds reports whether a field of an object has a wanted value, and what it has
// instead, with what tells why: the reason and the message beside it, and what else the field says.
func holds(obj *unstructured.Unstructured, field spec.Field) (done bool, lastSeen string) {
	text, err := obj.MarshalJSON()
	if err != nil {
		return false, err.Error()
	}
	value := gjson.GetBytes(text, field.Path)
	if !value.Exists() {
		return false, field.Path + " is not there"
	}
	lastSeen = fmt.Sprintf("%s is %q", field.Path, value.String())
	if dot := strings.LastIndex(field.Path, "."); dot > 0 {
		for _, beside := range []string{".reason", ".message"} {
			if told := gjson.GetBytes(text, field.Path[:dot]+beside); told.Type == gjson.String {
				lastSeen += ": " + told.String()
			}
		}
	}
	if field.Tells != "" {
		if told := gjson.GetBytes(text, field.Tells).String(); told != "" && told != "[]" {
			lastSeen += ": " + told
		}
	}
	return slices.Contains(field.Equals, value.String()), lastSeen
}
