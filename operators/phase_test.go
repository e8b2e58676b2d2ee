package operators_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"operatorbench/operators"
)

// holds says whether a watch event marks a phase, as Phase documents it.
func holds(phase operators.Phase, event string, object []byte) bool {
	if phase.Event != "" && phase.Event != event {
		return false
	}
	if phase.Path == "" {
		return true
	}
	value := gjson.GetBytes(object, phase.Path)
	return value.Exists() && (len(phase.Equals) == 0 || slices.Contains(phase.Equals, value.String()))
}

// The phases of the tutorial's operator are found in the watch events of a real
// Workflow, which TestRealOperator recorded, one after the other.
func TestPhasesOfARealWorkflow(t *testing.T) {
	operator, err := operators.Load("argo")
	require.NoError(t, err)
	phases := operator.Style().Phases
	at := make([]int, len(phases)) // the event, from 1, that marks each phase
	for i, line := range bytes.Split(bytes.TrimSpace([]byte(read(t, "argo/testdata/workflow.jsonl"))), []byte("\n")) {
		var entry struct {
			Event  string
			Object json.RawMessage
		}
		require.NoError(t, json.Unmarshal(line, &entry))
		for k, phase := range phases {
			if at[k] == 0 && holds(phase, entry.Event, entry.Object) {
				at[k] = i + 1
			}
		}
	}
	assert.Equal(t, []int{
		1,    // the Workflow is created
		2, 5, // a step starts, and is seen to have finished in the event that starts the next
		5, 6,
		6, 8,
		8, 10,
		10, 13,
		13, 16,
		16, 19,
		19, // the Workflow is finished
	}, at)
}
