package scenarios

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A kind of step has a name, a field of a file, a check and words.
func TestEveryKindHasEachPart(t *testing.T) {
	for _, k := range stepKinds() {
		assert.NotNil(t, k.text, k.name)
		assert.NotNil(t, k.check, k.name)
	}
	assert.ElementsMatch(t, append(StepKinds(), "on"), fieldsOf(Step{}))
}

func fieldsOf(value any) (names []string) {
	for field := range reflect.TypeOf(value).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		names = append(names, name)
	}
	return names
}
