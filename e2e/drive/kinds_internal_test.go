package drive

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/scenarios"
)

// Every kind that a scenario file can name can be done, and nothing else can.
func TestEveryKindOfStepCanBePerformed(t *testing.T) {
	assert.ElementsMatch(t, scenarios.StepKinds(), slices.Collect(maps.Keys(performers())))
	assert.Equal(t, scenarios.DriftFields(), plain.Map(fieldDrifts(), func(d fieldDrift) string { return d.word }))
}
