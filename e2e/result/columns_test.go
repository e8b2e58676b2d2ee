package result_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/result"
)

// Every column says what it is, in which unit, and which way it is better; a format finds it by its id.
func TestEveryColumnSaysWhatItIs(t *testing.T) {
	one, err := result.Load("../../docs/example")
	require.NoError(t, err)
	complete(t, result.Of(one).Columns())
	complete(t, result.RateColumns())
	complete(t, result.StepColumns())
	complete(t, result.LevelColumns())
}

func complete[Row any](t *testing.T, columns []result.ColumnOf[Row]) {
	t.Helper()
	require.NotEmpty(t, columns)
	seen := map[string]bool{}
	for _, c := range columns {
		assert.False(t, seen[c.ID], "%s is there twice", c.ID)
		seen[c.ID] = true
		assert.NotEmpty(t, c.Head, c.ID)
		if c.Better == result.Words {
			assert.Empty(t, c.Unit, c.ID)
			continue
		}
		assert.NotEmpty(t, c.Text, c.ID)
		assert.Contains(t, []string{"1", "1/s", "s", "bytes", "cores", "share"}, c.Unit, c.ID)
	}
}

// A step without any known latency has none.
func TestWhatIsNotKnownHasNoLatency(t *testing.T) {
	for _, c := range result.StepColumns() {
		if c.Unit == "s" {
			assert.Empty(t, c.Of(&result.Step{Unknown: 400}).Text, c.ID)
		}
	}
}
