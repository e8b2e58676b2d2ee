package fault

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/scenarios"
)

func TestEveryKindCanBeDone(t *testing.T) {
	kinds := plain.Map(scenarios.FaultKinds(), func(k scenarios.FaultKind) string { return k.Name })
	assert.ElementsMatch(t, kinds, slices.Collect(maps.Keys(ways())))
}
