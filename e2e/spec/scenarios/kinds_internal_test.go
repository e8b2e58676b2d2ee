package scenarios

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A kind of step has a name, a field of a file, a check and words; so has a kind of
// fault but for the words, which are its name and what it is done to.
func TestEveryKindHasEachPart(t *testing.T) {
	for _, k := range stepKinds() {
		assert.NotNil(t, k.is, k.name)
		assert.NotNil(t, k.text, k.name)
		assert.NotNil(t, k.check, k.name)
	}
	assert.ElementsMatch(t, append(StepKinds(), "on"), fieldsOf(Step{}))
	for _, k := range kinds() {
		assert.NotNil(t, k.what, k.name)
	}
	assert.ElementsMatch(t, FaultKinds(), fieldsOf(Fault{}))
}

func fieldsOf(value any) (names []string) {
	for field := range reflect.TypeOf(value).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		names = append(names, name)
	}
	return names
}
