package normal

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Wanted is the reference's spec in its normal form; nil: there is none.
type Wanted map[string]any

// Reference reads the reference Deployment of a header; nil: there is none.
func Reference(deployment json.RawMessage) (Wanted, error) {
	if len(deployment) == 0 {
		return nil, nil
	}
	var in struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(deployment, &in); err != nil {
		return nil, fmt.Errorf("read the reference: %w", err)
	}
	spec, err := Spec(in.Spec)
	if err != nil {
		return nil, fmt.Errorf("read the spec of the reference: %w", err)
	}
	return spec, nil
}

// instance is the label that names the custom resource.
const instance = "app.kubernetes.io/instance"

// Of is the spec for a custom resource of a name and a size.
func (w Wanted) Of(name string, size int) map[string]any {
	spec, _ := named(map[string]any(w), name).(map[string]any)
	spec["replicas"] = json.Number(strconv.Itoa(size))
	return spec
}

// named is a part of the spec with the label of another custom resource.
func named(part any, name string) any {
	switch part := part.(type) {
	case map[string]any:
		is := map[string]any{}
		for key, value := range part {
			if _, text := value.(string); text && key == instance {
				value = name
			}
			is[key] = named(value, name)
		}
		return is
	case []any:
		is := make([]any, len(part))
		for i, value := range part {
			is[i] = named(value, name)
		}
		return is
	}
	return part
}
