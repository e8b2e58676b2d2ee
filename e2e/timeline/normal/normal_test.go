package normal

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNormalSpec(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `{}`,
		`{"template":{"spec":{"containers":[{"image":"a:1","imagePullPolicy":"IfNotPresent"},{"image":"a","imagePullPolicy":"IfNotPresent"}]}}}`:                                                                                    `{"template":{"spec":{"containers":[{"image":"a:1"},{"image":"a","imagePullPolicy":"IfNotPresent"}]}}}`,
		`{"template":{"spec":{"containers":[{"image":"h:5000/a","imagePullPolicy":"Always"},{"image":"a:latest","imagePullPolicy":"Always"}]}}}`:                                                                                    `{"template":{"spec":{"containers":[{"image":"h:5000/a"},{"image":"a:latest"}]}}}`,
		`{"template":{"spec":{"initContainers":[{"image":"a:latest@sha256:0","imagePullPolicy":"IfNotPresent"}]}}}`:                                                                                                                 `{"template":{"spec":{"initContainers":[{"image":"a:latest@sha256:0"}]}}}`,
		`{"template":{"spec":{"serviceAccount":"a","serviceAccountName":"a"}}}`:                                                                                                                                                     `{"template":{"spec":{"serviceAccountName":"a"}}}`,
		`{"template":{"spec":{"containers":[{"readinessProbe":{"httpGet":{"path":"/","port":1,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":5}},{}]}}}`:                                                                       `{"template":{"spec":{"containers":[{"readinessProbe":{"httpGet":{"port":1},"periodSeconds":5}},{}]}}}`,
		`{"selector":{},"template":{"metadata":{"labels":{}},"spec":{"affinity":{"labelSelector":{},"namespaceSelector":null},"securityContext":{},"tolerations":null}}}`:                                                           `{"selector":{},"template":{"spec":{"affinity":{"labelSelector":{}}}}}`,
		`{"podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0,"maxUnavailable":1}},"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"}}`: `{}`,
		`{"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"a"},"spec":{"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}],"updateStrategy":{"type":"OnDelete"}}`:                `{"updateStrategy":{"type":"OnDelete"},"volumeClaimTemplates":[{"metadata":{"name":"a"}}]}`,
		`{"strategy":{"type":"Recreate"},"replicas":10000000000000000000001}`:                                                                                                                                                       `{"replicas":10000000000000000000001,"strategy":{"type":"Recreate"}}`,
	} {
		spec, err := Spec([]byte(text))
		require.NoError(t, err)
		got, err := json.Marshal(spec)
		require.NoError(t, err)
		assert.Equal(t, want, string(got), text)
	}
}

// Whatever is in a spec, its normal form is its own, and like itself.
func FuzzNormalSpec(f *testing.F) {
	for _, text := range []string{
		`{}`, `null`, `[]`, `{"template":{"spec":{"containers":[{"image":"a:1","imagePullPolicy":"IfNotPresent","ports":[{"protocol":"TCP"}]},[],null]}}}`,
		`{"template":[],"strategy":{"rollingUpdate":[{"maxSurge":"25%"}]}}`, `{"template":{"spec":{"serviceAccount":"a","containers":{"a":1}}}}`,
		`{"selector":{"matchLabels":{"a.b/c":"d"}},"replicas":1e3}`,
	} {
		f.Add([]byte(text), []byte(`{"template":{"spec":{"containers":[{}]}}}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		spec, err := Spec(a)
		if err != nil {
			return
		}
		assert.Empty(t, Differences("spec", spec, spec))
		text, err := json.Marshal(spec)
		require.NoError(t, err)
		again, err := Spec(text)
		require.NoError(t, err)
		assert.Empty(t, Differences("spec", spec, again), "%s", a)
		if other, err := Spec(b); err == nil {
			there, back := Differences("spec", spec, other), Differences("spec", other, spec)
			require.Len(t, back, len(there))
		}
	})
}
