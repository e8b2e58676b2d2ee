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
