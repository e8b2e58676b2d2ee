package watch

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// withhold takes out of an object what a recording must not carry, or has no use
// for: who owns which field, and the values of environment variables, which may
// be secret; kubectl's copy of the object may hold them too.
func withhold(object *unstructured.Unstructured) {
	unstructured.RemoveNestedField(object.Object, "metadata", "managedFields")
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	withholdValues(object.Object)
}

// withholdValues leaves only the names of environment variables, wherever in an
// object: custom resources, such as Workflows, hold containers in places of their own.
func withholdValues(in any) {
	switch in := in.(type) {
	case []any:
		for _, one := range in {
			withholdValues(one)
		}
	case map[string]any:
		for field, value := range in {
			variables, isList := value.([]any)
			if field != "env" || !isList {
				withholdValues(value)
				continue
			}
			for _, variable := range variables {
				if named, ok := variable.(map[string]any); ok {
					delete(named, "value")
				}
			}
		}
	}
}
