package fault_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
)

var jobs = schema.GroupVersionResource{Group: "x.io", Version: "v1", Resource: "jobs"}

// job is a work object that was made some seconds after the first.
func job(name, of, phase string, seconds int, suspend any) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "x.io/v1", "kind": "Job",
		"spec": map[string]any{"of": of}, "status": map[string]any{"phase": phase},
	}}
	obj.SetNamespace("n")
	obj.SetName(name)
	obj.SetUID(types.UID(name + "-uid"))
	obj.SetCreationTimestamp(metav1.NewTime(time.Unix(int64(seconds), 0)))
	if suspend != nil {
		obj.Object["spec"].(map[string]any)["hold"] = map[string]any{"on": suspend}
	}
	return obj
}

// workbench is a style that works by jobs.
func workbench(objects ...runtime.Object) *fault.Injector {
	return &fault.Injector{
		Dynamic:  dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{jobs: "JobList"}, objects...),
		Workload: &workloads.Workload{Workload: spec.Workload{Resource: spec.CustomResource{Kind: "Custom"}}},
		Style: spec.Style{Name: "some", Work: []spec.Work{{
			Resource: "jobs.v1.x.io", Namespace: "n",
			Of:      spec.FieldCondition{Path: "spec.of", Matches: "^{{.Namespace}}/{{.Name}}$"},
			Ended:   spec.FieldCondition{Path: "status.phase", Equals: []string{"Done", "Failed"}},
			Suspend: "spec.hold.on",
		}}},
	}
}

func workSpec(t *testing.T, i *fault.Injector, name string) map[string]any {
	t.Helper()
	obj, err := i.Dynamic.Resource(jobs).Namespace("n").Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	fields, _, err := unstructured.NestedMap(obj.Object, "spec")
	require.NoError(t, err)
	return fields
}

func TestTheNewestUnfinishedWorkIsSuspended(t *testing.T) {
	for name, before := range map[string]any{"not set": nil, "set": false} {
		t.Run(name, func(t *testing.T) {
			i := workbench(
				job("old", "a/b.c", "Running", 1, nil), job("newer", "a/b.c", "Running", 2, before), job("ended", "a/b.c", "Done", 3, nil),
				job("neighbour", "a/bxc", "Running", 4, nil), job("longer", "a/b.cd", "Running", 5, nil))
			was := workSpec(t, i, "newer")
			broken, err := i.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}, fault.Target{Namespace: "a", Name: "b.c"})
			require.NoError(t, err)
			assert.Equal(t, []string{"jobs/n/newer"}, broken.Objects)
			assert.Equal(t, map[string]any{"of": "a/b.c", "hold": map[string]any{"on": true}}, workSpec(t, i, "newer"))
			for _, other := range []string{"old", "ended", "neighbour", "longer"} {
				assert.NotContains(t, workSpec(t, i, other), "hold", other)
			}
			require.NoError(t, broken.Undo(context.Background()))
			if before == nil {
				was["hold"] = map[string]any{} // what is null in a merge patch leaves what was around it
			}
			assert.Equal(t, was, workSpec(t, i, "newer"))
		})
	}
}

func TestWorkThatWasDeletedNeedNotGoOn(t *testing.T) {
	i := workbench(job("one", "a/b", "Running", 1, nil))
	broken, err := i.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}, fault.Target{Namespace: "a", Name: "b"})
	require.NoError(t, err)
	require.NoError(t, i.Dynamic.Resource(jobs).Namespace("n").Delete(t.Context(), "one", metav1.DeleteOptions{}))
	require.NoError(t, broken.Undo(context.Background()))
}

func TestWorkThatHasEndedIsNotSuspended(t *testing.T) {
	i := workbench(job("one", "a/b", "Failed", 1, nil))
	_, err := i.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}, fault.Target{Namespace: "a", Name: "b"})
	require.ErrorContains(t, err, "style some has 1 work objects for it that can be suspended, all of which have ended")
}
