package styles_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/styles"
)

// workflows are the last states of the Workflows in the recording of a real run.
func workflows(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	file, err := os.Open("../../../docs/example/recording.jsonl.zst")
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	recording, err := zstd.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(recording)
	require.NoError(t, err)
	last := map[string]json.RawMessage{}
	for line := range bytes.Lines(text) {
		var entry struct {
			Watch struct {
				Resource, Event, Name string
				Object                json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal(line, &entry))
		if w := entry.Watch; w.Resource == "workflows.v1alpha1.argoproj.io" && w.Event != "DELETED" {
			last[w.Name] = w.Object
		}
	}
	return last
}

// Each real Workflow of the tutorial's operator is found to be for the one custom
// resource whose event it was submitted for, and to have ended.
func TestWorkOfRealWorkflows(t *testing.T) {
	operator, err := styles.Load("../../../operators/argo")
	require.NoError(t, err)
	work := operator.Work[0]
	found := workflows(t)
	require.NotEmpty(t, found)
	for name, object := range found {
		manifest := gjson.GetBytes(object, "spec.arguments.parameters.0.value").String()
		var cr struct {
			Metadata struct{ Name, Namespace string }
		}
		require.NoError(t, json.Unmarshal([]byte(manifest), &cr), name)
		of := gjson.GetBytes(object, work.Of.Path).String()
		for _, test := range []struct {
			namespace, name string
			want            bool
		}{
			{cr.Metadata.Namespace, cr.Metadata.Name, true},
			{cr.Metadata.Namespace, cr.Metadata.Name + "-2", false},
			{cr.Metadata.Namespace + "-2", cr.Metadata.Name, false},
			{cr.Metadata.Name, cr.Metadata.Namespace, false},
		} {
			matcher, err := bounds.WorkMatcher(work, test.namespace, test.name)
			require.NoError(t, err)
			assert.Equal(t, test.want, matcher.MatchString(of), "%s, which is for %s, against %s/%s", name, of, test.namespace, test.name)
		}
		assert.Contains(t, work.Ended.Equals, gjson.GetBytes(object, work.Ended.Path).String(), name)
	}
}
