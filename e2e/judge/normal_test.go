package judge

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNormalSpec(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `{}`,
		`{"template":{"spec":{"containers":[{"image":"a:1","imagePullPolicy":"IfNotPresent"},{"image":"a","imagePullPolicy":"IfNotPresent"}]}}}`:                          `{"template":{"spec":{"containers":[{"image":"a:1"},{"image":"a","imagePullPolicy":"IfNotPresent"}]}}}`,
		`{"template":{"spec":{"containers":[{"image":"h:5000/a","imagePullPolicy":"Always"},{"image":"a:latest","imagePullPolicy":"Always"}]}}}`:                          `{"template":{"spec":{"containers":[{"image":"h:5000/a"},{"image":"a:latest"}]}}}`,
		`{"template":{"spec":{"initContainers":[{"image":"a:latest@sha256:0","imagePullPolicy":"IfNotPresent"}]}}}`:                                                       `{"template":{"spec":{"initContainers":[{"image":"a:latest@sha256:0"}]}}}`,
		`{"template":{"spec":{"serviceAccount":"a","serviceAccountName":"a"}}}`:                                                                                           `{"template":{"spec":{"serviceAccountName":"a"}}}`,
		`{"template":{"spec":{"containers":[{"readinessProbe":{"httpGet":{"path":"/","port":1,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":5}},{}]}}}`:             `{"template":{"spec":{"containers":[{"readinessProbe":{"httpGet":{"port":1},"periodSeconds":5}},{}]}}}`,
		`{"selector":{},"template":{"metadata":{"labels":{}},"spec":{"affinity":{"labelSelector":{},"namespaceSelector":null},"securityContext":{},"tolerations":null}}}`: `{"selector":{},"template":{"spec":{"affinity":{"labelSelector":{}}}}}`,
		`{"strategy":{"type":"Recreate"},"replicas":10000000000000000000001}`:                                                                                             `{"replicas":10000000000000000000001,"strategy":{"type":"Recreate"}}`,
	} {
		spec, err := normalSpec([]byte(text))
		require.NoError(t, err)
		got, err := json.Marshal(spec)
		require.NoError(t, err)
		assert.Equal(t, want, string(got), text)
	}
}

// Whatever stands in a spec, its normal form is its own, and like itself.
func FuzzNormalSpec(f *testing.F) {
	for _, text := range []string{
		`{}`, `null`, `[]`, `{"template":{"spec":{"containers":[{"image":"a:1","imagePullPolicy":"IfNotPresent","ports":[{"protocol":"TCP"}]},[],null]}}}`,
		`{"template":[],"strategy":{"rollingUpdate":[{"maxSurge":"25%"}]}}`, `{"template":{"spec":{"serviceAccount":"a","containers":{"a":1}}}}`,
		`{"selector":{"matchLabels":{"a.b/c":"d"}},"replicas":1e3}`,
	} {
		f.Add([]byte(text), []byte(`{"template":{"spec":{"containers":[{}]}}}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		spec, err := normalSpec(a)
		if err != nil {
			return
		}
		assert.Empty(t, differences("spec", spec, spec))
		text, err := json.Marshal(spec)
		require.NoError(t, err)
		again, err := normalSpec(text)
		require.NoError(t, err)
		assert.Empty(t, differences("spec", spec, again), "%s", a)
		if other, err := normalSpec(b); err == nil {
			there, back := differences("spec", spec, other), differences("spec", other, spec)
			require.Len(t, back, len(there))
		}
	})
}

// Details that are not as expected are an error, never a panic.
func FuzzDetail(f *testing.F) {
	for _, text := range []string{
		`{"metadata":{"labels":{"app":"a"}},"status":{"containerStatuses":[{"name":"c","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error"}}}]}}`,
		`{"regarding":{"kind":"Pod","name":"p"},"reason":"Failed","note":"n","type":"Warning"}`, `{"involvedObject":{"uid":"u"},"message":"m"}`,
		`{"spec":{"replicas":1},"status":{"conditions":[{"type":"Available","status":"True","message":"m"}]}}`, `null`, `[]`, ``, `{"status":[]}`,
	} {
		for _, resource := range []string{Pods, Events, Deployments, CustomResources} {
			f.Add(resource, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, resource string, text []byte) {
		d, err := readDetail(resource, text)
		require.Equal(t, err == nil, d != nil)
		if err == nil && len(text) > 0 && resource == Deployments && d.Spec != "" {
			require.True(t, json.Valid([]byte(d.Spec)))
		}
	})
}
