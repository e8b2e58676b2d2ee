package result_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/result"
)

// Every column says what it is; a format finds it by its id.
func TestEveryColumnSaysWhatItIs(t *testing.T) {
	one, err := result.Load("../../docs/example")
	require.NoError(t, err)
	columns := result.Of(one).Columns()
	require.NotEmpty(t, columns)
	seen := map[string]bool{}
	for _, c := range columns {
		assert.False(t, seen[c.ID], "%s is there twice", c.ID)
		seen[c.ID] = true
		assert.NotEmpty(t, c.Head, c.ID)
		assert.True(t, c.Text != "" || c.Better == result.Words, c.ID)
	}
}

// A step without any known latency has none.
func TestWhatIsNotKnownHasNoLatency(t *testing.T) {
	for _, c := range result.StepColumns() {
		if slices.Contains([]string{"p50", "p99", "accepted", "late"}, c.Head) {
			assert.Empty(t, c.Of(&result.Step{Unknown: 400}).Text, c.Head)
		}
	}
}
