package fault

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/spec/scenarios"
)

func TestEveryKindCanBeDone(t *testing.T) {
	assert.ElementsMatch(t, scenarios.FaultKinds(), slices.Collect(maps.Keys(ways())))
}
