package operators

import (
	"fmt"

	"operatorbench/e2e/spec/bounds"
)

// expand executes a template that holds only texts and the fields .Name and
// .Namespace.
func expand(what, text, namespace, name string) (string, error) {
	template, err := bounds.NewTemplate(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return template.Fill(namespace, name)
}
