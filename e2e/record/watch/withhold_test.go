package watch

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWithhold(t *testing.T) {
	for name, test := range map[string]struct{ object, want string }{
		"a pod": {
			`{"metadata":{"name":"p","managedFields":[{}],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter2","kept":"yes"}},
			 "spec":{"initContainers":[{"env":[{"name":"A","value":"hunter2"}]}],
			 "containers":[{"name":"c","env":[{"name":"B","value":"hunter2"},{"name":"C","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]}]}}`,
			`{"metadata":{"name":"p","annotations":{"kept":"yes"}},
			 "spec":{"initContainers":[{"env":[{"name":"A"}]}],
			 "containers":[{"name":"c","env":[{"name":"B"},{"name":"C","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]}]}}`,
		},
		"a workload": {
			`{"spec":{"replicas":3,"template":{"spec":{"containers":[{"env":[{"name":"B","value":"hunter2"}]}]}}}}`,
			`{"spec":{"replicas":3,"template":{"spec":{"containers":[{"env":[{"name":"B"}]}]}}}}`,
		},
		"a custom resource": {
			`{"status":{"storedTemplates":{"a":{"script":{"env":[{"name":"B","value":"hunter2"}]}}}}}`,
			`{"status":{"storedTemplates":{"a":{"script":{"env":[{"name":"B"}]}}}}}`,
		},
		"of another form": {
			`{"spec":{"env":"none","more":[{"env":{"value":"kept"}},{"env":["x"],"name":"x","value":"kept"}]}}`,
			`{"spec":{"env":"none","more":[{"env":{"value":"kept"}},{"env":["x"],"name":"x","value":"kept"}]}}`,
		},
		"nothing": {`{}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(test.object), &object))
			withhold(&unstructured.Unstructured{Object: object})
			got, err := json.Marshal(object)
			require.NoError(t, err)
			assert.JSONEq(t, test.want, string(got))
		})
	}
}
