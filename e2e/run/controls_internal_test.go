package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// Nothing of the matrix applies to the floor, which needs one wave to say so.
func TestTheMatrixDoesNotApplyToTheFloor(t *testing.T) {
	matrix, err := pick(workloadtest.Default(t), matrixName)
	require.NoError(t, err)
	found, err := styles.Find("../../operators", "floor")
	require.NoError(t, err)
	floor := &participant{asked: found[0]}
	waves := (&job{workload: workloadtest.Default(t), participants: []*participant{floor}, scenarios: matrix}).waves()
	require.Len(t, waves, 1)
	assert.Len(t, waves[0].plan.Scenarios, len(matrix))
	for _, s := range matrix {
		assert.Equal(t, "the harness itself writes what is asked for: there is no operator to judge", floor.unfit(s))
	}
}

// What a style has no right to cannot be withdrawn from it.
func TestARightThatAStyleDoesNotHaveIsNotWithdrawn(t *testing.T) {
	forbidden := func(resource string) scenarios.Scenario {
		return scenarios.Scenario{Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultForbid, What: resource}}}}
	}
	found, err := styles.Find("../../operators", "native", "idle")
	require.NoError(t, err)
	native, idle := &participant{operator: found[0]}, &participant{operator: found[1]}
	assert.Empty(t, native.unfit(forbidden("deployments.apps")))
	assert.Equal(t, "native has no right to write workflows.argoproj.io that could be withdrawn", native.unfit(forbidden("workflows.argoproj.io")))
	assert.Equal(t, "idle has no right to write deployments.apps that could be withdrawn", idle.unfit(forbidden("deployments.apps")))
	unread := scenarios.Scenario{Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultForbidRead, What: "deployments.apps"}}}}
	assert.Empty(t, native.unfit(unread))
	assert.Equal(t, "idle has no right to list or watch deployments.apps that could be withdrawn", idle.unfit(unread))
}

// A control that does nothing is not waited for longer than it may take.
func TestIdleHasLittlePatience(t *testing.T) {
	found, err := styles.Find("../../operators", "native", "idle")
	require.NoError(t, err)
	native, err := (&participant{operator: found[0]}).driven()
	require.NoError(t, err)
	idle, err := (&participant{operator: found[1]}).driven()
	require.NoError(t, err)
	assert.Zero(t, native.Patience(), "the matrix's")
	assert.Equal(t, found[1].Timeout, idle.Patience())
}

// A change of a style concerns those that are overlays of it.
func TestAnOverlayIsComparedWhenItsBaseChanges(t *testing.T) {
	for name, test := range map[string]struct{ change, want string }{
		"what it uses":         {"operator.yaml", "floor mine@base mine@again mine@head over@base over@again over@head"},
		"what it does not use": {"namespace.yaml", "floor mine@base mine@again mine@head"},
	} {
		t.Run(name, func(t *testing.T) {
			root := repositoryWith(t, func(style string) {
				file := filepath.Join(style, "manifests", test.change)
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				changed := strings.Replace(string(text), "metadata:\n", "metadata:\n  annotations: {changed: \"yes\"}\n", 1)
				require.NotEqual(t, string(text), changed)
				require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
			}, overlay(t))
			s, err := compared(t, root, "all", "HEAD")
			require.NoError(t, err)
			assert.Equal(t, test.want, labels(s.participants))
		})
	}
}

// overlay adds a style that has the second stage of the other's, and a namespace of its own.
func overlay(t *testing.T) func(string) {
	return func(operators string) {
		text, err := os.ReadFile(filepath.Join(operators, "mine", "style.yaml"))
		require.NoError(t, err)
		style := filepath.Join(operators, "over")
		require.NoError(t, os.MkdirAll(filepath.Join(style, "manifests"), 0o755))
		text = []byte(strings.NewReplacer("name: mine", "name: over", "manifests/operator.yaml", "../mine/manifests/operator.yaml").Replace(string(text)))
		require.NoError(t, os.WriteFile(filepath.Join(style, "style.yaml"), text, 0o600))
		namespace := "apiVersion: v1\nkind: Namespace\nmetadata: {name: never-ready}\n"
		require.NoError(t, os.WriteFile(filepath.Join(style, "manifests", "namespace.yaml"), []byte(namespace), 0o600))
	}
}

// What is wrong with a style is told when the run is read, which is before there
// is anything else of it.
func TestABrokenStyleIsRefusedBeforeThereIsACluster(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "idle")
	require.NoError(t, os.CopyFS(folder, os.DirFS("../../operators/idle")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "manifests", "kustomization.yaml"), []byte("resources: [operator.yaml, gone.yaml]\n"), 0o600))
	results := filepath.Join(t.TempDir(), "results")
	options := Options{Operator: folder, Scenario: "create", Cluster: "kind", Images: "auto", Window: time.Second, Patience: time.Minute, Results: results}
	_, err := Load(t.Context(), options, "../..", time.Time{}, t.Output())
	require.ErrorContains(t, err, "idle/style.yaml:9: operator idle, stage operator, manifests manifests: ")
	require.ErrorContains(t, err, "kustomization.yaml: kustomize build: ")
	require.ErrorContains(t, err, "gone.yaml")
	assert.NoDirExists(t, results)
}

// The file of the floor is read and written like any other's.
func TestTheFloorHasVerdicts(t *testing.T) {
	found, err := styles.Find("../../operators", "floor")
	require.NoError(t, err)
	expected, err := expectedOf(found[0])
	require.NoError(t, err)
	for _, name := range []string{"create", "walkthrough"} {
		entry, there := expected.Of(name)
		require.True(t, there)
		assert.Equal(t, spec.Pass, entry.Verdict)
	}
}
