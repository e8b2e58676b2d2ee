package selftest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
)

// Each shape loads, and goes through all that its definition allows and its style has.
func TestShapes(t *testing.T) {
	catalogue, err := images.Load("../..")
	require.NoError(t, err)
	folders, err := filepath.Glob("testdata/shapes/*/style.yaml")
	require.NoError(t, err)
	found := map[string][2]string{}
	for _, file := range folders {
		operator, err := styles.Load(filepath.Dir(file))
		require.NoError(t, err)
		require.NoError(t, styles.Check(catalogue, operator))
		w, err := operator.Handles()
		require.NoError(t, err)
		all, err := scenarios.Of(w, judge.OracleNames())
		require.NoError(t, err)
		var known []verdicts.Scenario
		for _, s := range all {
			known = append(known, verdicts.Scenario{Name: s.Name, Group: s.Group})
		}
		_, err = verdicts.Load(operator.Folder, known, append(judge.OracleNames(), judge.Released))
		require.NoError(t, err)
		found[operator.Name] = [2]string{w.GVR().String(), w.Main().Kind}
	}
	assert.Equal(t, map[string][2]string{
		"stateful":    {"shapes.example.org/v1beta2, Resource=memcachedclusters", "StatefulSet"},
		"brittle":     {"shapes.example.org/v1beta2, Resource=memcachedclusters", "StatefulSet"},
		"mute":        {"shapes.example.org/v1beta2, Resource=memcachedclusters", "StatefulSet"},
		"never-down":  {"shapes.example.org/v1beta2, Resource=memcachedclusters", "StatefulSet"},
		"stored":      {"shapes.example.dev/v1, Resource=stores", "StatefulSet"},
		"forgets":     {"shapes.example.dev/v1, Resource=stores", "StatefulSet"},
		"at-once":     {"shapes.example.dev/v1, Resource=stores", "StatefulSet"},
		"notes-first": {"shapes.example.dev/v1, Resource=stores", "StatefulSet"},
		"paired":      {"shapes.example.net/v1, Resource=caches", "Deployment"},
		"unowned":     {"shapes.example.io/v1alpha2, Resource=memcacheds", "Deployment"},
	}, found)
}
