package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/plain"
)

// fieldDrift sets one field of a main child to another value.
type fieldDrift struct {
	word string // as a scenario has it
	name string
	at   []string          // from the object, or from its first container
	in   bool              // the first container
	to   func(was any) any // what it drifts to; nil: it is removed
}

// fieldDrifts lists those that scenarios.DriftFields names.
func fieldDrifts() []fieldDrift {
	removed := func(any) any { return nil }
	pod := []string{"spec", "template", "spec"}
	return []fieldDrift{
		{"ports", "the container's port", []string{"ports"}, true, otherPort},
		{"command", "the container's command", []string{"command"}, true, oneMore},
		{"args", "the container's arguments", []string{"args"}, true, oneMore},
		{"resources", "the container's resources", []string{"resources"}, true, func(any) any {
			return map[string]any{"requests": map[string]any{"memory": "33Mi"}, "limits": map[string]any{"memory": "65Mi"}}
		}},
		{"securityContext", "the container's security context", []string{"securityContext"}, true, removed},
		{"podSecurityContext", "the pods' security context", append(pod, "securityContext"), false, func(any) any { return map[string]any{} }},
		{"serviceAccountName", "the pods' service account", append(pod, "serviceAccountName"), false, func(any) any { return "default" }},
		{"labels", "the labels", []string{"metadata", "labels"}, false, removed},
		{"ownerReferences", "the owner reference", []string{"metadata", "ownerReferences"}, false, removed},
	}
}

// oneMore adds an argument that a program can do without.
func oneMore(was any) any {
	list, _ := was.([]any)
	return append(slices.Clone(list), "-v")
}

// otherPort moves the first port by one.
func otherPort(was any) any {
	list, _ := was.([]any)
	first, _ := list[0].(map[string]any)
	moved := maps.Clone(first)
	if port, is := first["containerPort"].(int64); is {
		moved["containerPort"] = port + 1
	}
	return append([]any{moved}, list[1:]...)
}

// driftFields drifts those of the fields that the main child has, one after the other. What the operator does not put
// right, it puts right itself, so that what comes next is judged alone.
func (s *sampleRun) driftFields(ctx context.Context, r request, child *unstructured.Unstructured, fields []string) error {
	changed := 0
	for _, field := range fields {
		d, known := plain.Find(fieldDrifts(), func(d fieldDrift) bool { return d.word == field })
		if !known {
			return fmt.Errorf("drift of %s: there is no such field", field)
		}
		drifted, err := s.driftField(ctx, r, d)
		if err != nil {
			return fmt.Errorf("drift of %s: %w", d.name, err)
		}
		if drifted {
			changed++
		}
	}
	if changed == 0 {
		return fmt.Errorf("%s %s/%s has none of the fields that could drift", child.GetKind(), r.namespace, child.GetName())
	}
	return nil
}

func (s *sampleRun) driftField(ctx context.Context, r request, d fieldDrift) (drifted bool, err error) {
	client := s.children(r.namespace)
	live, err := client.Get(ctx, r.name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	was, path, err := d.of(live)
	if err != nil || emptied(was) {
		return false, err
	}
	set := func(wrong string, patch ...map[string]any) error {
		text, err := json.Marshal(patch)
		if err != nil {
			return err
		}
		r.wrong, r.do = wrong, func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Patch(ctx, r.name, types.JSONPatchType, text, metav1.PatchOptions{})
		}
		_, err = s.send(ctx, r)
		return err
	}
	change := map[string]any{"op": "replace", "path": path, "value": d.to(was)}
	if change["value"] == nil {
		change["op"] = "remove"
	}
	test := map[string]any{"op": "test", "path": path, "value": was} // others may have written since
	if err := set(d.name, test, change); err != nil {
		return false, err
	}
	wrong := func() string {
		live, err := client.Get(ctx, r.name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if is, _, err := d.of(live); err != nil || !equality.Semantic.DeepEqual(is, was) {
			return d.name + " is not as it was"
		}
		return ""
	}
	bounded, cancel := context.WithTimeout(ctx, s.style.bound())
	defer cancel()
	s.wait(bounded, wrong, s.Matrix.Window, s.sample.Patience)
	if wrong() == "" {
		return true, nil
	}
	return true, set("", map[string]any{"op": "add", "path": path, "value": was})
}

// of is the value that a main child has there, and where that is, as a JSON pointer.
func (d fieldDrift) of(child *unstructured.Unstructured) (value any, path string, err error) {
	object, path := child.Object, ""
	if d.in {
		containers, _, err := unstructured.NestedSlice(child.Object, "spec", "template", "spec", "containers")
		if err != nil || len(containers) == 0 {
			return nil, "", err
		}
		object, _ = containers[0].(map[string]any)
		path = "/spec/template/spec/containers/0"
	}
	value, _, err = unstructured.NestedFieldCopy(object, d.at...)
	return value, path + "/" + strings.Join(d.at, "/"), err
}

// emptied reports whether a value says nothing.
func emptied(value any) bool {
	switch value := value.(type) {
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return value == nil || value == ""
}
