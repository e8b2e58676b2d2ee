package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Styles in headers of the schemas 1 to 5 are read as those of today.
func TestStylesOfOldHeaders(t *testing.T) {
	two := []string{spec.StatusNodes, spec.StatusObservedGeneration}
	for name, test := range map[string]struct {
		schema, style string
		want          record.Style
	}{
		"1, by its name": {
			"1", `"childName":"{{.Name}}-deployment","status":false,"idle":["done"],"phases":[{"name":"done","resource":"jobs.v1.batch","event":"ADDED"}]`,
			record.Style{Style: spec.Style{
				Child: spec.Child{Name: "{{.Name}}-deployment"}, Idle: []string{"done"},
				Phases: []spec.Phase{{Name: "done", Resource: "jobs.v1.batch", Event: spec.Added}},
			}},
		},
		"2, by its owner": {
			"2", `"variant":"head","status":true,"namespaces":["op"],"components":[{"name":"operator","namespace":"op","selector":"a=b"}]`,
			record.Style{Variant: "head", Installed: spec.Installed{Namespaces: []string{"op"}}, Style: spec.Style{
				Child: spec.Child{OwnerReference: true}, Declares: spec.Declares{Status: spec.Declaration{Supported: true, Fields: two}},
				Components: []spec.Component{{Name: "operator", Namespace: "op", Selector: "a=b"}},
			}},
		},
		"4, with declarations": {
			"4", `"status":true,"declares":[{"name":"status","supported":true},{"name":"ownerReferences","supported":true},{"name":"driftRepair","supported":false,"reason":"r"}]`,
			record.Style{Style: spec.Style{Child: spec.Child{OwnerReference: true}, Declares: spec.Declares{
				Status: spec.Declaration{Supported: true, Fields: two}, OwnerReferences: spec.Declaration{Supported: true}, DriftRepair: spec.Declaration{Reason: "r"},
			}}},
		},
		"5, with fields": {
			"5", `"status":true,"declares":[{"name":"status","supported":true,"fields":["conditions"],"ready":"Ready"}],"grants":[{"serviceAccount":"op/a","role":"Role op/r","verbs":["get"]}]`,
			record.Style{
				Installed: spec.Installed{Grants: []spec.Grant{{ServiceAccount: "op/a", Role: "Role op/r", Verbs: []string{"get"}}}},
				Style: spec.Style{Child: spec.Child{OwnerReference: true}, Declares: spec.Declares{
					Status: spec.Declaration{Supported: true, Fields: []string{spec.StatusConditions}, Ready: "Ready"},
				}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var header record.Header
			text := `{"schema":` + test.schema + `,"run":"abc","began":"2026-11-22T10:00:00Z","seed":7,"program":"p","styles":[{"name":"s",` + test.style + `}]}`
			require.NoError(t, json.Unmarshal([]byte(text), &header))
			test.want.Name = "s"
			assert.Equal(t, []record.Style{test.want}, header.Styles)
			assert.Equal(t, "abc", header.Run)
			assert.EqualValues(t, 7, header.Seed)
		})
	}
	var header record.Header
	require.Error(t, json.Unmarshal([]byte(`{"schema":5,"styles":[{"name":"s","declares":{}}]}`), &header))
}

// What is written is what is read.
func TestStylesAreReadAsTheyAreWritten(t *testing.T) {
	style := record.Style{Variant: "base", Installed: spec.Installed{Namespaces: []string{"op"}}, Style: spec.Style{
		Name: "s", Images: []spec.Image{{Name: "a"}, {Name: "b", Reference: "example.org/b", Go: "cmd"}}, Timeout: time.Minute,
		Stages:   []spec.Stage{{Name: "one", Manifests: []string{"m"}, Ready: []spec.Gate{{Field: &spec.Field{Kind: "K", Path: "status.phase", Equals: []string{"Done"}}}}}},
		Child:    spec.Child{OwnerReference: true},
		Declares: spec.Declares{Status: spec.Declaration{Supported: true, Fields: []string{spec.StatusNodes}}, DriftRepair: spec.Declaration{Reason: "r"}},
		Warmup:   spec.Warmup{Skip: "slow"}, Typical: spec.Typical{Reconcile: time.Second},
	}}
	text, err := json.Marshal(record.Header{Schema: record.Schema, Styles: []record.Style{style}})
	require.NoError(t, err)
	var header record.Header
	require.NoError(t, json.Unmarshal(text, &header))
	assert.Equal(t, []record.Style{style}, header.Styles)
}
