package styles_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/spec"
)

// Every style that is measured does what every operator is held to, or says why not.
func TestEveryMeasuredStyleDeclaresItselfInOrOut(t *testing.T) {
	for _, style := range measured(t) {
		for _, d := range style.Declares.All() {
			assert.True(t, d.Known(), "operators/%s/style.yaml: declares.%s: say why not", style.Name, d.Name)
		}
		for _, field := range spec.StatusFields() {
			written, reason := style.Declares.Status.Field(field)
			assert.True(t, written || reason != "", "operators/%s/style.yaml: declares.status.without: say why it does not write %s", style.Name, field)
		}
	}
}
