package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
)

// Drift returns the paths of the fields that an apply of want would change in
// have, sorted; none means that there is nothing to write. Fields that want does
// not mention (the API server's defaults, other managers' fields) are not drift.
func Drift(want *appsv1ac.DeploymentApplyConfiguration, have *appsv1.Deployment) ([]string, error) {
	wanted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(want)
	if err != nil {
		return nil, fmt.Errorf("encode the wanted Deployment: %w", err)
	}
	present, err := runtime.DefaultUnstructuredConverter.ToUnstructured(have)
	if err != nil {
		return nil, fmt.Errorf("encode Deployment %s/%s: %w", have.Namespace, have.Name, err)
	}
	var paths []string
	for _, section := range []string{"metadata", "spec"} {
		paths = append(paths, differing(section, wanted[section], present[section])...)
	}
	slices.Sort(paths)
	return paths, nil
}

// differing lists the paths below path where have lacks or contradicts want.
func differing(path string, want, have any) []string {
	switch want := want.(type) {
	case map[string]any:
		fields, ok := have.(map[string]any)
		if !ok {
			return []string{path}
		}
		var paths []string
		for name, value := range want {
			paths = append(paths, differing(path+"."+name, value, fields[name])...)
		}
		return paths
	case []any:
		return differingList(path, want, have)
	default:
		if reflect.DeepEqual(want, have) {
			return nil
		}
		return []string{path}
	}
}

// differingList compares lists as a server-side apply merges them: lists of
// objects by their key, with room for others' elements (a side-car that a webhook
// put in is not drift), all other lists as one value.
func differingList(path string, want []any, have any) []string {
	items, ok := have.([]any)
	if !ok {
		return []string{path}
	}
	if len(want) == 0 || mergeKey(want[0]) == "" {
		if reflect.DeepEqual(want, items) {
			return nil
		}
		return []string{path}
	}
	var paths []string
	for i, element := range want {
		at := path + "[" + strconv.Itoa(i) + "]"
		key := mergeKey(element)
		value := element.(map[string]any)[key]
		match := slices.IndexFunc(items, func(item any) bool {
			fields, ok := item.(map[string]any)
			return ok && reflect.DeepEqual(fields[key], value)
		})
		if match < 0 {
			paths = append(paths, at)
			continue
		}
		paths = append(paths, differing(at, element, items[match])...)
	}
	return paths
}

// mergeKey names the field by which the API tells a list's elements apart, for
// the lists that a Deployment of this operator has; empty if it has no such field.
func mergeKey(element any) string {
	fields, ok := element.(map[string]any)
	if !ok {
		return ""
	}
	for _, key := range []string{"uid", "containerPort", "name"} {
		if _, found := fields[key]; found {
			return key
		}
	}
	return ""
}
