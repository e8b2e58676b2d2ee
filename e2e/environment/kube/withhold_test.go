package kube_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/kube"
)

// No value below a field that may hold secrets is left, in whatever form it is
// given; hunter2 is the secret, and nothing else is lost.
func TestWithhold(t *testing.T) {
	for name, test := range map[string]struct{ object, want string }{
		"a pod": {
			`{"metadata":{"name":"p","labels":{"env":"kept","data":"kept"},"managedFields":[{}],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter2","kept":"yes"}},
			 "spec":{"nodeSelector":{"env":"kept"},"initContainers":[{"env":[{"name":"A","value":"hunter2"}]}],
			 "containers":[{"name":"c","image":"i","command":["sh","-c","hunter2"],"args":["--password=hunter2","-v"],"env":[{"name":"B","value":"hunter2"},{"name":"C","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
			   "livenessProbe":{"httpGet":{"path":"/","httpHeaders":[{"name":"Authorization","value":"hunter2"}]},"exec":{"command":["hunter2"]}}}]}}`,
			`{"metadata":{"name":"p","labels":{"env":"kept","data":"kept"},"annotations":{"kept":"yes"}},
			 "spec":{"nodeSelector":{"env":"kept"},"initContainers":[{"env":[{"name":"A","value":"(withheld)"}]}],
			 "containers":[{"name":"c","image":"i","command":["(withheld)","(withheld)","(withheld)"],"args":["(withheld)","-v"],"env":[{"name":"B","value":"(withheld)"},{"name":"C","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
			   "livenessProbe":{"httpGet":{"path":"/","httpHeaders":[{"name":"Authorization","value":"(withheld)"}]},"exec":{"command":["(withheld)"]}}}]}}`,
		},
		"a Secret": {
			`{"kind":"Secret","metadata":{"name":"s"},"type":"Opaque","data":{"k":"hunter2"},"stringData":{"name":"hunter2","n":7,"e":""}}`,
			`{"kind":"Secret","metadata":{"name":"s"},"type":"Opaque","data":{"k":"(withheld)"},"stringData":{"name":"(withheld)","n":"(withheld)","e":""}}`,
		},
		"a template of a Secret": {
			`{"spec":{"template":{"metadata":{"name":"s"},"data":{"k":"hunter2"}},"binaryData":"hunter2"}}`,
			`{"spec":{"template":{"metadata":{"name":"s"},"data":{"k":"(withheld)"}},"binaryData":"(withheld)"}}`,
		},
		"env of another form": {
			`{"a":{"env":{"A":"hunter2","name":"hunter2","B":{"valueFrom":{"fieldRef":{"fieldPath":"f"},"default":"hunter2"}}}},"b":{"env":"hunter2"},"c":[{"env":["A=hunter2"]}],"d":{"Env":["A=hunter2"]}}`,
			`{"a":{"env":{"A":"(withheld)","name":"(withheld)","B":{"valueFrom":{"fieldRef":{"fieldPath":"f"},"default":"(withheld)"}}}},"b":{"env":"(withheld)"},"c":[{"env":["(withheld)"]}],"d":{"Env":["(withheld)"]}}`,
		},
		"a Workflow": {
			`{"spec":{"entrypoint":"main","arguments":{"parameters":[{"name":"p","value":"hunter2"}],"artifacts":[{"name":"a","raw":{"data":"hunter2"}}]},
			  "templates":[{"name":"main","inputs":{"parameters":[{"name":"p","default":"hunter2","enum":["hunter2"]}]},"script":{"image":"i","source":"hunter2"},"resource":{"action":"apply","manifest":"hunter2"}}]},
			  "status":{"phase":"Running","nodes":{"n":{"displayName":"d","message":"m","inputs":{"parameters":[{"name":"p","value":"hunter2"}]},"outputs":{"exitCode":"0","result":"hunter2"}}},"compressedNodes":"hunter2",
			  "storedTemplates":{"a":{"container":{"args":["hunter2"]}}}}}`,
			`{"spec":{"entrypoint":"main","arguments":{"parameters":[{"name":"p","value":"(withheld)"}],"artifacts":[{"name":"a","raw":{"data":"(withheld)"}}]},
			  "templates":[{"name":"main","inputs":{"parameters":[{"name":"p","default":"(withheld)","enum":["(withheld)"]}]},"script":{"image":"i","source":"(withheld)"},"resource":{"action":"apply","manifest":"(withheld)"}}]},
			  "status":{"phase":"Running","nodes":{"n":{"displayName":"d","message":"m","inputs":{"parameters":[{"name":"p","value":"(withheld)"}]},"outputs":{"exitCode":"0","result":"(withheld)"}}},"compressedNodes":"(withheld)",
			  "storedTemplates":{"a":{"container":{"args":["(withheld)"]}}}}}`,
		},
		"parameters of a map": {`{"parameters":{"name":"hunter2","b":[1,true,null]}}`, `{"parameters":{"name":"(withheld)","b":["(withheld)","(withheld)",null]}}`},
		"nothing":             {`{}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(test.object), &object))
			kube.Withhold(object, kube.Public{"-v": true})
			got, err := json.Marshal(object)
			require.NoError(t, err)
			assert.JSONEq(t, test.want, string(got))
			assert.NotContains(t, string(got), "hunter2")
		})
	}
}

// What is published anyway can be compared with it.
func TestPublicOf(t *testing.T) {
	reference := map[string]any{"spec": map[string]any{"name": "not", "command": []any{"memcached", "-v"}}}
	public := kube.PublicOf(reference)
	assert.Equal(t, kube.Public{"memcached": true, "-v": true}, public)
	kube.Withhold(reference, public)
	assert.Equal(t, map[string]any{"spec": map[string]any{"name": "not", "command": []any{"memcached", "-v"}}}, reference)
}

func TestWithheldIn(t *testing.T) {
	for path, want := range map[string]string{
		"data.password": "data", "spec.template.spec.containers.0.env.#(name==\"A\").value": "env", "spec.arguments.parameters.#.value": "arguments",
		"status.nodes.@values.#.inputs.parameters": "parameters", "status.nodes.@values.#.outputs.result": "result", `{"a":data}`: "data",
		"status.phase": "", "metadata.labels.env": "", `metadata.annotations.a\.data`: "", "status.result": "", "[stringData,spec]": "stringData", "spec.metadata": "",
	} {
		assert.Equal(t, want, kube.WithheldIn(path), path)
	}
}
