package styles_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
)

// holds reports whether a watch event marks a phase, as Phase documents it.
func holds(phase spec.Phase, resource, event string, object []byte) bool {
	if phase.Resource != resource || phase.Event != "" && phase.Event != event {
		return false
	}
	for _, where := range phase.Where {
		value := gjson.GetBytes(object, where.Path)
		if !value.Exists() || len(where.Equals) > 0 && !slices.Contains(where.Equals, value.String()) ||
			!regexp.MustCompile(where.Matches).MatchString(value.String()) {
			return false
		}
	}
	if phase.Path == "" {
		return true
	}
	value := gjson.GetBytes(object, phase.Path)
	return value.Exists() && (len(phase.Equals) == 0 || slices.Contains(phase.Equals, value.String()))
}

// The phases of the tutorial's operator are found in the watch events of a real
// Workflow and its pods, which TestRealOperator recorded, one after the other.
func TestPhasesOfARealWorkflow(t *testing.T) {
	operator, err := styles.Load("../../../operators/argo")
	require.NoError(t, err)
	phases := operator.Phases
	at := make([]int, len(phases)) // the event, from 1, that marks each phase
	for i, line := range bytes.Split(bytes.TrimSpace([]byte(read(t, "../../../operators/argo/testdata/workflow.jsonl"))), []byte("\n")) {
		var entry struct {
			Resource string
			Event    string
			Object   json.RawMessage
		}
		require.NoError(t, json.Unmarshal(line, &entry))
		for k, phase := range phases {
			if at[k] == 0 && holds(phase, entry.Resource, entry.Event, entry.Object) {
				at[k] = i + 1
			}
		}
	}
	assert.Equal(t, []int{
		1, // the Workflow is created
		// Each step is pending, running, finished, and noticed: the controller makes
		// the next step's pod before it writes into the Workflow what it has noticed.
		2, 10, 13, 14,
		15, 23, 26, 30,
		27, 36, 39, 43,
		40, 50, 53, 56,
		54, 63, 66, 69,
		67, 75, 78, 81,
		79, 88, 90, 91,
		91, // the Workflow is finished
	}, at)
}
