package plan

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"operatorbench/operators/native/internal/api"
)

var update = flag.Bool("update", false, "write the golden files")

func example(size int32) *api.Memcached {
	return &api.Memcached{
		ObjectMeta: metav1.ObjectMeta{Namespace: "services", Name: "example", UID: "cr-uid", Generation: 2},
		Spec:       api.MemcachedSpec{Size: size},
	}
}

// served is the Deployment of example(1), complete and rolled out, as an API server
// of Kubernetes 1.37 returned it: with the defaults that it fills in.
func served(t *testing.T) *appsv1.Deployment {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "served.json"))
	require.NoError(t, err)
	var d appsv1.Deployment
	require.NoError(t, json.Unmarshal(text, &d))
	return &d
}

func TestDeploymentIsTheGoldenOne(t *testing.T) {
	have, err := yaml.Marshal(Deployment(example(3)))
	require.NoError(t, err)
	golden := filepath.Join("testdata", "deployment.yaml")
	if *update {
		require.NoError(t, os.WriteFile(golden, have, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(have))
}

func TestInstanceIsALabelValueAndTellsNamesApart(t *testing.T) {
	long := strings.Repeat("a", 250)
	names := []string{"a", "a.b", strings.Repeat("a", 63), strings.Repeat("a", 64), long, long + "b", long + "c"}
	seen := map[string]string{}
	for _, name := range names {
		instance := Instance(name)
		assert.Empty(t, validation.IsValidLabelValue(instance), name)
		assert.NotContains(t, seen, instance, "%s has the instance of %s", name, seen[instance])
		seen[instance] = name
	}
	assert.Equal(t, "a.b", Instance("a.b"), "a name that fits stays readable")
}

func TestSelectorsOfTwoDoNotMeet(t *testing.T) {
	one, two := example(1), example(1)
	two.Name = "example-2"
	assert.False(t, Selector(one).AsSelector().Matches(Selector(two)))
	assert.True(t, Selector(one).AsSelector().Matches(Selector(one)))
}

func TestDrift(t *testing.T) {
	tests := []struct {
		name   string
		size   int32
		change func(d *appsv1.Deployment)
		want   []string
	}{
		{name: "as served", size: 1},
		{name: "size", size: 4, want: []string{"spec.replicas"}},
		{name: "size zero", size: 0, want: []string{"spec.replicas"}},
		{name: "scaled by hand", size: 1, change: func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](9) }, want: []string{"spec.replicas"}},
		{
			name: "image", size: 1,
			change: func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "memcached:latest" },
			want:   []string{"spec.template.spec.containers[0].image"},
		},
		{
			name: "one argument", size: 1,
			change: func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Command[4] = "-vv" },
			want:   []string{"spec.template.spec.containers[0].command"},
		},
		{
			name: "one argument more", size: 1,
			change: func(d *appsv1.Deployment) {
				c := &d.Spec.Template.Spec.Containers[0]
				c.Command = append(c.Command, "-vv")
			},
			want: []string{"spec.template.spec.containers[0].command"},
		},
		{
			name: "container renamed", size: 1,
			change: func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Name = "cache" },
			want:   []string{"spec.template.spec.containers[0]"},
		},
		{
			name: "label, owner and limit removed", size: 1,
			change: func(d *appsv1.Deployment) {
				delete(d.Labels, ManagedByLabel)
				d.OwnerReferences = nil
				d.Spec.Template.Spec.Containers[0].Resources.Limits = nil
			},
			want: []string{
				"metadata.labels." + ManagedByLabel, "metadata.ownerReferences",
				"spec.template.spec.containers[0].resources.limits",
			},
		},
		{
			name: "owner no longer controls", size: 1,
			change: func(d *appsv1.Deployment) { d.OwnerReferences[0].Controller = nil },
			want:   []string{"metadata.ownerReferences[0].controller"},
		},
		{
			name: "what others add is theirs", size: 1,
			change: func(d *appsv1.Deployment) {
				d.Labels["team"] = "cache"
				d.Annotations["note"] = "x"
				d.OwnerReferences = append([]metav1.OwnerReference{{UID: "other"}}, d.OwnerReferences...)
				sidecar := corev1.Container{Name: "proxy", Image: "proxy"}
				d.Spec.Template.Spec.Containers = append([]corev1.Container{sidecar}, d.Spec.Template.Spec.Containers...)
				d.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "now"}
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := served(t)
			if tt.change != nil {
				tt.change(d)
			}
			have, err := Drift(Deployment(example(tt.size)), d)
			require.NoError(t, err)
			assert.Equal(t, tt.want, have)
		})
	}
}

func TestCheckOwner(t *testing.T) {
	reference := func(apiVersion, kind, name string, controls bool) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: "other-uid", Controller: &controls}}
	}
	tests := []struct {
		name   string
		change func(d *appsv1.Deployment)
		reason string // of the refusal; empty: it is ours
	}{
		{name: "ours", change: func(*appsv1.Deployment) {}},
		{name: "orphan of ours", change: func(d *appsv1.Deployment) { d.OwnerReferences = nil }},
		{
			name:   "orphan without our label",
			change: func(d *appsv1.Deployment) { d.OwnerReferences, d.Labels = nil, nil },
			reason: ReasonDeploymentNotOwned,
		},
		{
			name: "orphan with another selector",
			change: func(d *appsv1.Deployment) {
				d.OwnerReferences = nil
				d.Spec.Selector.MatchLabels["more"] = "yes"
			},
			reason: ReasonDeploymentNotOwned,
		},
		{
			name: "controlled by another kind",
			change: func(d *appsv1.Deployment) {
				d.OwnerReferences = reference("argoproj.io/v1alpha1", "Rollout", "example", true)
			},
			reason: ReasonDeploymentNotOwned,
		},
		{
			name:   "controlled by another Memcached",
			change: func(d *appsv1.Deployment) { d.OwnerReferences = reference(api.APIVersion(), api.Kind, "another", true) },
			reason: ReasonDeploymentNotOwned,
		},
		{
			name: "controlled by a deleted Memcached of the name",
			change: func(d *appsv1.Deployment) {
				d.OwnerReferences = reference("cache.example.com/v1beta7", api.Kind, "example", true)
			},
			reason: ReasonPredecessorDeleting,
		},
		{
			name: "owned, not controlled, by another kind: an orphan of ours",
			change: func(d *appsv1.Deployment) {
				d.OwnerReferences = reference("argoproj.io/v1alpha1", "Rollout", "example", false)
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := served(t)
			tt.change(d)
			err := CheckOwner(d, example(1))
			if tt.reason == "" {
				require.NoError(t, err)
				return
			}
			var notOwned *NotOwnedError
			require.ErrorAs(t, err, &notOwned)
			assert.Equal(t, tt.reason, notOwned.Reason())
			assert.ErrorContains(t, err, "Deployment example")
		})
	}
}

func pod(name string, change func(p *corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: "abc"},
			OwnerReferences: []metav1.OwnerReference{
				{Kind: "ReplicaSet", Name: "example-abc", Controller: ptr.To(true)},
			},
		},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	if change != nil {
		change(p)
	}
	return p
}

func TestNodesAreTheReadyPodsOfTheDeploymentSorted(t *testing.T) {
	pods := []*corev1.Pod{
		pod("c", nil), pod("a", nil), pod("b", nil),
		pod("pending", func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }),
		pod("unready", func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse }),
		pod("no-conditions", func(p *corev1.Pod) { p.Status.Conditions = nil }),
		pod("going", func(p *corev1.Pod) { p.DeletionTimestamp = ptr.To(metav1.Now()) }),
		pod("by-hand", func(p *corev1.Pod) { p.OwnerReferences = nil }),
		pod("another-set", func(p *corev1.Pod) { p.OwnerReferences[0].Name = "example-def" }),
		pod("a-job", func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "Job" }),
	}
	assert.Equal(t, []string{"a", "b", "c"}, Nodes(served(t), pods))
	assert.Equal(t, []string{}, Nodes(nil, pods), "without a Deployment there are none, and that is not null")
}

// waiting makes a pod wait, for a reason as the kubelet gives it.
func waiting(reason string) func(p *corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "memcached", Image: "memcached:none",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "told"}},
		}}}
	}
}

func TestTrouble(t *testing.T) {
	unscheduled := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "Insufficient cpu"}}
	}
	for _, tt := range []struct {
		change func(p *corev1.Pod)
		want   string
	}{
		{nil, ""},
		{waiting(""), ""},
		{waiting("ContainerCreating"), ""},
		{waiting("ErrImagePull"), "image memcached:none cannot be pulled (ImagePullBackOff)"},
		{waiting("ImagePullBackOff"), "image memcached:none cannot be pulled (ImagePullBackOff)"},
		{waiting("CrashLoopBackOff"), "container memcached crashes again and again"},
		{waiting("CreateContainerConfigError"), "container memcached: CreateContainerConfigError: told"},
		{unscheduled, "it cannot be scheduled: Insufficient cpu"},
	} {
		assert.Equal(t, tt.want, Trouble(pod("a", tt.change)))
	}
}

func TestStatus(t *testing.T) {
	rolledOut := func(size int32) func(d *appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			d.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: size, UpdatedReplicas: size, ReadyReplicas: size}
		}
	}
	three := []*corev1.Pod{pod("a", nil), pod("b", nil), pod("c", nil)}
	failed := appsv1.DeploymentCondition{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "exceeded quota"}
	stuck := appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Message: "too slow"}
	tests := []struct {
		name    string
		size    int32
		change  func(d *appsv1.Deployment) // nil: no Deployment
		pods    []*corev1.Pod
		problem *Problem
		status  metav1.ConditionStatus
		reason  string
		message string
	}{
		{"complete", 3, rolledOut(3), three, nil, metav1.ConditionTrue, ReasonAllReplicasReady, "3 of 3 pods are ready"},
		{"complete at zero", 0, rolledOut(0), nil, nil, metav1.ConditionTrue, ReasonAllReplicasReady, "0 of 0 pods are ready"},
		{"pods not seen yet", 3, rolledOut(3), three[:2], nil, metav1.ConditionFalse, ReasonReplicasNotReady, "2 of 3 pods are ready"},
		{"scaling down", 2, rolledOut(3), three, nil, metav1.ConditionFalse, ReasonReplicasNotReady, "3 of 2 pods are ready"},
		{"not observed yet", 0, func(d *appsv1.Deployment) { d.Status = appsv1.DeploymentStatus{} }, nil, nil, metav1.ConditionFalse, ReasonReplicasNotReady, "0 of 0 pods are ready"},
		{"old template still there", 3, func(d *appsv1.Deployment) {
			rolledOut(3)(d)
			d.Status.UpdatedReplicas = 2
		}, three, nil, metav1.ConditionFalse, ReasonReplicasNotReady, "3 of 3 pods are ready"},
		{"no image", 3, rolledOut(2), []*corev1.Pod{pod("a", nil), pod("c", waiting("ErrImagePull")), pod("b", waiting("ImagePullBackOff"))}, nil, metav1.ConditionFalse, ReasonPodsCannotStart, "1 of 3 pods are ready: pod b: image memcached:none cannot be pulled (ImagePullBackOff)"},
		{"no image, too long", 3, func(d *appsv1.Deployment) { d.Status.Conditions = []appsv1.DeploymentCondition{stuck} }, []*corev1.Pod{pod("c", waiting("ErrImagePull"))}, nil, metav1.ConditionFalse, ReasonProgressDeadline, "0 of 3 pods are ready: pod c: image memcached:none cannot be pulled (ImagePullBackOff): too slow"},
		{"pods of another set do not count", 3, rolledOut(3), append([]*corev1.Pod{pod("d", func(p *corev1.Pod) {
			waiting("ErrImagePull")(p)
			p.OwnerReferences[0].Name = "example-def"
		})}, three[:2]...), nil, metav1.ConditionFalse, ReasonReplicasNotReady, "2 of 3 pods are ready"},
		{"quota", 3, func(d *appsv1.Deployment) { d.Status.Conditions = []appsv1.DeploymentCondition{failed} }, three[:1], nil, metav1.ConditionFalse, ReasonReplicaFailure, "1 of 3 pods are ready: exceeded quota"},
		{"deadline", 3, func(d *appsv1.Deployment) { d.Status.Conditions = []appsv1.DeploymentCondition{stuck} }, nil, nil, metav1.ConditionFalse, ReasonProgressDeadline, "0 of 3 pods are ready: too slow"},
		{"being deleted", 3, func(d *appsv1.Deployment) { d.DeletionTimestamp = ptr.To(metav1.Now()) }, three, nil, metav1.ConditionFalse, ReasonDeploymentDeleting, "the Deployment is being deleted; it is made again when it is gone"},
		{"problem goes first", 3, rolledOut(3), three, &Problem{Reason: ReasonInvalidSize, Message: "why"}, metav1.ConditionFalse, ReasonInvalidSize, "why"},
		{"none yet", 3, nil, three, nil, metav1.ConditionFalse, ReasonReplicasNotReady, "the Deployment does not exist yet"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d *appsv1.Deployment
			if tt.change != nil {
				d = served(t)
				tt.change(d)
			}
			s := Status(example(tt.size), d, tt.pods, tt.problem, metav1.Now())
			assert.EqualValues(t, 2, s.ObservedGeneration)
			require.Len(t, s.Conditions, 1)
			c := s.Conditions[0]
			assert.EqualValues(t, 2, c.ObservedGeneration)
			assert.Equal(t, []string{"Ready", string(tt.status), tt.reason, tt.message}, []string{c.Type, string(c.Status), c.Reason, c.Message})
		})
	}
}

func TestStatusMovesTheTransitionTimeOnlyWithTheStatus(t *testing.T) {
	at := func(second int64) metav1.Time { return metav1.NewTime(time.Unix(second, 0)) }
	m := example(1)
	m.Status.Conditions = []metav1.Condition{
		{Type: "Paused", Status: metav1.ConditionFalse, Reason: "Somebody", LastTransitionTime: at(5)},
		{Type: api.ConditionReady, Status: metav1.ConditionFalse, Reason: ReasonReplicasNotReady, LastTransitionTime: at(10)},
	}
	before := m.Status.Conditions[1]
	d := served(t)

	waiting := Status(m, d, nil, nil, at(20))
	assert.Equal(t, at(10), waiting.Conditions[1].LastTransitionTime)
	ready := Status(m, d, []*corev1.Pod{pod("a", nil)}, nil, at(30))
	assert.Equal(t, metav1.ConditionTrue, ready.Conditions[1].Status)
	assert.Equal(t, at(30), ready.Conditions[1].LastTransitionTime)
	assert.Equal(t, "Paused", ready.Conditions[0].Type, "others' conditions stay")
	assert.Equal(t, before, m.Status.Conditions[1], "the input is not written to")
}
