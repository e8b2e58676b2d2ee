package drive_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
)

// raises makes the cluster that of an operator that writes a main child for each custom resource; a custom resource of the same
// name was there before, and its child still is.
func (s *stage) raises(t *testing.T) {
	t.Helper()
	main := s.Workload.Main()
	fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	child := func(namespace, name, owner string, uid types.UID) {
		yes := true
		d := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": main.Kind, "spec": map[string]any{
			"replicas": int64(1), "template": map[string]any{"spec": map[string]any{"containers": []any{
				map[string]any{"name": "first", "image": "some", "ports": []any{map[string]any{"containerPort": int64(11211)}}}, map[string]any{"name": "second", "image": "other"},
			}}},
		}}}
		d.SetNamespace(namespace)
		d.SetName(name)
		d.SetOwnerReferences([]metav1.OwnerReference{{Kind: s.Workload.Resource.Kind, Name: owner, UID: uid, Controller: &yes}})
		require.NoError(t, fake.Tracker().Create(s.Workload.MainGVR(), d, namespace))
	}
	fake.PrependReactor("create", s.Workload.Resource.Plural, func(action clienttesting.Action) (bool, runtime.Object, error) {
		cr := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		cr.SetUID("present")
		root := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		root.SetNamespace(cr.GetNamespace())
		root.SetName(spec.OtherOwner)
		root.SetUID("root")
		require.NoError(t, fake.Tracker().Create(workloads.GVR("configmaps.v1"), root, cr.GetNamespace()))
		child(cr.GetNamespace(), "a-former", cr.GetName(), "former")
		child(cr.GetNamespace(), "present", cr.GetName(), cr.GetUID())
		return false, nil, nil
	})
}

// drift is a scenario that changes a running custom resource's child.
func drift(d scenarios.Drift) scenarios.Scenario {
	one := stop("drift", true)
	one.Given, one.Steps = &scenarios.Spec{Size: 1}, []scenarios.Step{{Drift: &d}}
	return one
}

// A child of the same owner's name may be left of a custom resource that was there before: judged is that of the present one.
func TestDriftIsDoneToTheChildOfThePresentCustomResource(t *testing.T) {
	five := 5
	for name, test := range map[string]struct {
		drift scenarios.Drift
		holds func(map[string]unstructured.Unstructured) bool
	}{
		"replicas": {scenarios.Drift{Replicas: &five}, func(all map[string]unstructured.Unstructured) bool {
			is, _, _ := unstructured.NestedInt64(all["present"].Object, "spec", "replicas")
			was, _, _ := unstructured.NestedInt64(all["a-former"].Object, "spec", "replicas")
			return is == 5 && was == 1
		}},
		"image": {scenarios.Drift{Image: "new"}, func(all map[string]unstructured.Unstructured) bool {
			images := func(name string) (list []any) {
				containers, _, _ := unstructured.NestedSlice(all[name].Object, "spec", "template", "spec", "containers")
				for _, c := range containers {
					list = append(list, c.(map[string]any)["image"])
				}
				return list
			}
			return assert.ObjectsAreEqual([]any{"new", "other"}, images("present")) && assert.ObjectsAreEqual([]any{"some", "other"}, images("a-former"))
		}},
		"owner": {scenarios.Drift{Owner: &struct{}{}}, func(all map[string]unstructured.Unstructured) bool {
			is, was := all["present"], all["a-former"]
			owners := is.GetOwnerReferences()
			return len(owners) == 2 && owners[1].Kind == "ConfigMap" && owners[1].UID == "root" && owners[1].Controller == nil && len(was.GetOwnerReferences()) == 1
		}},
		"delete": {scenarios.Drift{Delete: &struct{}{}}, func(all map[string]unstructured.Unstructured) bool {
			_, is := all["present"]
			_, was := all["a-former"]
			return was && !is
		}},
	} {
		for _, w := range []*workloads.Workload{workloadtest.Default(t), workloadtest.Queue(t)} {
			t.Run(name+" of "+w.Name, func(t *testing.T) {
				s, _, style := newMatrixStage(t)
				s.Workload = w
				s.raises(t)
				style.Child.OwnerReference = true
				require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{drift(test.drift)}}))
				list, err := s.Client.Resource(w.MainGVR()).List(t.Context(), metav1.ListOptions{})
				require.NoError(t, err)
				all := map[string]unstructured.Unstructured{}
				for _, d := range list.Items {
					all[d.GetName()] = d
				}
				assert.True(t, test.holds(all), "%v", s.entries(t))
			})
		}
	}
}

// What drifts later is the child that drifted first, however many there are by then: others-marks takes its finalizer from
// the one that has it.
func TestTheSameOfManyChildrenDriftsAgain(t *testing.T) {
	s, _, style := newMatrixStage(t)
	s.raises(t)
	style.Child.OwnerReference = true
	fake := s.Client.(*dynamicfake.FakeDynamicClient)
	main := s.Workload.MainGVR()
	more := false
	fake.PrependReactor("patch", main.Resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		if !more {
			more = true
			one, err := fake.Tracker().Get(main, action.GetNamespace(), "present")
			require.NoError(t, err)
			another := one.(*unstructured.Unstructured).DeepCopy()
			another.SetName("another")
			another.SetUID("another")
			require.NoError(t, fake.Tracker().Create(main, another, action.GetNamespace()))
		}
		return false, nil, nil
	})
	marked := func(label string) *scenarios.Drift {
		return &scenarios.Drift{Merge: map[string]any{"metadata": map[string]any{"labels": map[string]any{label: "yes"}}}}
	}
	one := drift(*marked("first"))
	one.Steps = append(one.Steps, scenarios.Step{Drift: marked("later")})
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{one}}))
	list, err := s.Client.Resource(main).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, child := range list.Items {
		assert.Equal(t, child.GetName() == "present", child.GetLabels()["later"] == "yes", child.GetName())
	}
}

// Each field drifts by itself: what nobody puts right, the harness puts right before the next.
func TestEachFieldDriftsByItself(t *testing.T) {
	s, _, style := newMatrixStage(t)
	s.raises(t)
	style.Child.OwnerReference = true
	s.Matrix.Window, s.Matrix.Patience = time.Millisecond, 20*time.Millisecond
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{drift(scenarios.Drift{Fields: scenarios.DriftFields()})}}))
	main := s.Workload.MainGVR()
	var wrong []string
	for e := range s.recorded(t) {
		if e.Action != nil && e.Action.Name == "present" {
			assert.Empty(t, e.Action.Error)
			wrong = append(wrong, e.Action.Verb+" "+e.Action.Wrong)
		}
	}
	assert.Equal(t, []string{"patch the container's port", "patch ", "patch the owner reference", "patch "}, wrong)
	list, err := s.Client.Resource(main).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, d := range list.Items {
		containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
		assert.Equal(t, []any{map[string]any{"containerPort": int64(11211)}}, containers[0].(map[string]any)["ports"])
		assert.Len(t, d.GetOwnerReferences(), 1)
	}
}

// The pods that are killed are the main child's, below its ReplicaSet where there is one.
func TestPodsOfTheMainChildAreKilled(t *testing.T) {
	for name, test := range map[string]struct {
		w     *workloads.Workload
		drift scenarios.Drift
		left  []string
	}{
		"one of a Deployment":  {workloadtest.Default(t), scenarios.Drift{Pod: &struct{}{}}, []string{"a-leaving", "another", "mine-too"}},
		"one of a StatefulSet": {workloadtest.Queue(t), scenarios.Drift{Pod: &struct{}{}}, []string{"a-leaving", "another", "mine-too"}},
		"all of a Deployment":  {workloadtest.Default(t), scenarios.Drift{Pods: &struct{}{}}, []string{"another"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := test.w
			s, _, style := newMatrixStage(t)
			s.Workload = w
			ending := func(name, owner string) { // nobody misses it
				o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod"}}
				o.SetName(name)
				o.SetNamespace("services-abc123-fast-1-w1-1-drift")
				o.SetOwnerReferences([]metav1.OwnerReference{{Kind: "any", Name: owner, UID: types.UID(owner), Controller: new(true)}})
				now := metav1.Now()
				o.SetDeletionTimestamp(&now)
				require.NoError(t, s.Client.(*dynamicfake.FakeDynamicClient).Tracker().Create(workloads.GVR(spec.Pods), o, o.GetNamespace()))
			}
			fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
			require.True(t, ok)
			add := owned(t, fake, "True")
			fake.PrependReactor("create", w.Resource.Plural, func(action clienttesting.Action) (bool, runtime.Object, error) {
				cr := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
				cr.SetUID("present")
				n, above := cr.GetNamespace(), types.UID("child")
				add(w.Main().Resource, w.Main().Kind, n, "child", "present")
				if w.Main().Resource == spec.Deployments {
					above = "set"
					add(spec.ReplicaSets, "ReplicaSet", n, "old", "child")
					add(spec.ReplicaSets, "ReplicaSet", n, "set", "child")
				}
				add(spec.Pods, "Pod", n, "another", "other")
				ending("a-leaving", string(above))
				add(spec.Pods, "Pod", n, "mine", above)
				add(spec.Pods, "Pod", n, "mine-too", above)
				return false, nil, nil
			})
			style.Child.OwnerReference = true
			require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{drift(test.drift)}}))
			list, err := s.Client.Resource(workloads.GVR(spec.Pods)).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			var left []string
			for _, pod := range list.Items {
				left = append(left, pod.GetName())
			}
			assert.Equal(t, test.left, left, "%v", s.entries(t))
		})
	}
}
