package kube

import "iter"

// Maps returns the maps in a decoded object, at any depth: pod templates are in workloads, and in objects that a
// controller makes some of. Each comes before those in it.
func Maps(value any) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) { eachMap(value, yield) }
}

func eachMap(value any, yield func(map[string]any) bool) bool {
	switch value := value.(type) {
	case map[string]any:
		if !yield(value) {
			return false
		}
		for _, inner := range value {
			if !eachMap(inner, yield) {
				return false
			}
		}
	case []any:
		for _, inner := range value {
			if !eachMap(inner, yield) {
				return false
			}
		}
	}
	return true
}
