package scenarios

import (
	"encoding/json"
	"fmt"
)

// Submit is a custom resource that is wrong.
type Submit struct {
	Object  map[string]any `yaml:"object"`
	Patch   bool           `yaml:"patch"`   // sent as a merge patch of the custom resource that is there
	Refused bool           `yaml:"refused"` // by the API server; else it takes it, and the operator must tell
}

func (s Submit) text() string {
	verb := "create"
	if s.Patch {
		verb = "patch"
	}
	text := fmt.Sprintf("%s with spec %s", verb, asJSON(s.Object["spec"]))
	if s.Refused {
		text += ", which is refused"
	}
	return text
}

// asJSON prints a value of a file.
func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
