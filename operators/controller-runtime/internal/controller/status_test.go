package controller

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

func pod(podName string, changes ...func(p *corev1.Pod)) corev1.Pod {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: podName,
			Labels:          map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: "abc"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: name + "-abc", Controller: ptr.To(true)}},
		},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
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

// rolledOutTo is a Deployment that its controller has brought to a size.
func rolledOutTo(size int32) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Generation: 1}}
	d.Status = appsv1.DeploymentStatus{
		ObservedGeneration: 1, Replicas: size, UpdatedReplicas: size, ReadyReplicas: size,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}},
	}
	return d
}

func TestNodesAreTheReadyPodsOfTheDeploymentSorted(t *testing.T) {
	g := NewWithT(t)
	pods := []corev1.Pod{
		pod("c"), pod("a"), pod("b"),
		pod("pending", func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }),
		pod("unready", func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse }),
		pod("going", func(p *corev1.Pod) { p.DeletionTimestamp = ptr.To(metav1.Now()) }),
		pod("by-hand", func(p *corev1.Pod) { p.OwnerReferences = nil }),
		pod("of-another", func(p *corev1.Pod) { p.OwnerReferences[0].Name = "example-2-abc" }),
		pod("of-a-job", func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "Job" }),
		pod("without-a-hash", func(p *corev1.Pod) { p.Labels = nil }),
	}
	g.Expect(statusOf(sized(3), rolledOutTo(3), pods, nil).Nodes).To(Equal([]string{"a", "b", "c"}))
	g.Expect(statusOf(sized(3), nil, pods, nil).Nodes).To(BeEmpty())
}

func TestConditions(t *testing.T) {
	with := func(d *appsv1.Deployment, kind appsv1.DeploymentConditionType, status corev1.ConditionStatus, message string) *appsv1.Deployment {
		d.Status.Conditions = append(d.Status.Conditions, appsv1.DeploymentCondition{Type: kind, Status: status, Message: message})
		return d
	}
	old := rolledOutTo(3)
	old.Status.UpdatedReplicas = 2
	unseen := rolledOutTo(0)
	unseen.Generation = 2
	going := rolledOutTo(3)
	going.DeletionTimestamp = ptr.To(metav1.Now())
	three := []corev1.Pod{pod("a"), pod("b"), pod("c")}
	const ready, progressing, degraded, available = conditionReady, conditionProgressing, conditionDegraded, conditionAvailable
	for _, test := range []struct {
		name            string
		size            int64
		d               *appsv1.Deployment
		pods            []corev1.Pod
		trouble         *problem
		reason, message string
		holding         []string
	}{
		{"complete", 3, rolledOutTo(3), three, nil, reasonReady, "3 of 3 pods are ready", []string{ready, available}},
		{"complete at zero", 0, rolledOutTo(0), nil, nil, reasonReady, "0 of 0 pods are ready", []string{ready, available}},
		{"pods not seen yet", 3, rolledOutTo(3), three[:2], nil, reasonRollingOut, "2 of 3 pods are ready", []string{available, progressing}},
		{"scaling down", 2, rolledOutTo(3), three, nil, reasonRollingOut, "3 of 2 pods are ready", []string{available, progressing}},
		{"old template still there", 3, old, three, nil, reasonRollingOut, "3 of 3 pods are ready", []string{available, progressing}},
		{"not seen by its controller", 0, unseen, nil, nil, reasonRollingOut, "0 of 0 pods are ready", []string{available, progressing}},
		{"none yet", 3, nil, three, nil, reasonRollingOut, "the Deployment does not exist yet", []string{progressing}},
		{"going", 3, going, three, nil, reasonDeleting, "the Deployment is being deleted; it is made again when it is gone", []string{available, progressing}},
		{"no image", 3, rolledOutTo(2), []corev1.Pod{pod("a"), pod("c", waiting("ErrImagePull")), pod("b", waiting("ImagePullBackOff"))}, nil, reasonPodsCannotStart, "1 of 3 pods are ready: pod b: ImagePullBackOff: image memcached:none cannot be pulled", []string{available, degraded}},
		{"quota", 3, with(rolledOutTo(1), appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, "exceeded quota"), three[:1], nil, reasonReplicaFailure, "1 of 3 pods are ready: exceeded quota", []string{available, degraded}},
		{"deadline", 3, with(rolledOutTo(1), appsv1.DeploymentProgressing, corev1.ConditionFalse, "too slow"), three[:1], nil, reasonDeadline, "1 of 3 pods are ready: too slow", []string{available, degraded}},
		{"trouble goes first", 3, rolledOutTo(3), three, &problem{reasonInvalidSize, "why"}, reasonInvalidSize, "why", []string{available, degraded}},
		{"a predecessor is no harm", 3, nil, nil, &problem{reasonPredecessor, "why"}, reasonPredecessor, "why", []string{progressing}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			s := statusOf(sized(test.size), test.d, test.pods, test.trouble)
			var holding []string
			for _, c := range s.Conditions {
				g.Expect(c.Reason).To(Equal(test.reason))
				g.Expect(c.Message).To(Equal(test.message))
				g.Expect(c.ObservedGeneration).To(BeEquivalentTo(1))
				if c.Status == metav1.ConditionTrue {
					holding = append(holding, c.Type)
				}
			}
			g.Expect(s.Conditions).To(HaveLen(4))
			g.Expect(holding).To(Equal(test.holding))
		})
	}
}

func TestOthersConditionsStayAndTimesMoveOnlyWithTheStatus(t *testing.T) {
	g := NewWithT(t)
	long := metav1.NewTime(time.Unix(10, 0))
	m := sized(1)
	m.Status.Conditions = []metav1.Condition{
		{Type: "Paused", Status: metav1.ConditionFalse, Reason: "Somebody", LastTransitionTime: long},
		{Type: conditionReady, Status: metav1.ConditionFalse, Reason: reasonRollingOut, LastTransitionTime: long},
	}
	waiting := statusOf(m, rolledOutTo(1), nil, nil)
	g.Expect(meta.FindStatusCondition(waiting.Conditions, conditionReady).LastTransitionTime).To(Equal(long))
	g.Expect(waiting.Conditions[0]).To(Equal(m.Status.Conditions[0]))
	ready := statusOf(m, rolledOutTo(1), []corev1.Pod{pod("a")}, nil)
	g.Expect(meta.FindStatusCondition(ready.Conditions, conditionReady).LastTransitionTime).NotTo(Equal(long))
}

func TestStuck(t *testing.T) {
	unscheduled := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "Insufficient cpu"}}
	}
	for _, test := range []struct {
		change func(p *corev1.Pod)
		want   string
	}{
		{func(*corev1.Pod) {}, ""},
		{waiting(""), ""},
		{waiting("ContainerCreating"), ""},
		{waiting("ErrImagePull"), "ImagePullBackOff: image memcached:none cannot be pulled"},
		{waiting("ImagePullBackOff"), "ImagePullBackOff: image memcached:none cannot be pulled"},
		{waiting("CrashLoopBackOff"), "CrashLoopBackOff: container memcached crashes again and again"},
		{waiting("CreateContainerConfigError"), "CreateContainerConfigError: container memcached: told"},
		{unscheduled, "it cannot be scheduled: Insufficient cpu"},
	} {
		p := pod("a", test.change)
		NewWithT(t).Expect(stuck(&p)).To(Equal(test.want))
	}
}

func TestInstancesAreLabelValuesAndTellNamesApart(t *testing.T) {
	g := NewWithT(t)
	long := strings.Repeat("a", 250)
	seen := map[string]string{}
	for _, name := range []string{"a", "a.b", strings.Repeat("a", 63), strings.Repeat("a", 64), long, long + "b", long + "c"} {
		instance := instanceOf(name)
		g.Expect(validation.IsValidLabelValue(instance)).To(BeEmpty(), name)
		g.Expect(seen).NotTo(HaveKey(instance))
		seen[instance] = name
	}
	g.Expect(instanceOf("a.b")).To(Equal("a.b"))
}

// The definition is not generated from the types: a field of the status that it
// lacks would be dropped by the API server, and written again each time.
func TestTheDefinitionHasWhatTheStatusHas(t *testing.T) {
	g := NewWithT(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "fixtures", "workloads", "memcached", "crd.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	type schema struct {
		Properties map[string]*schema
		Items      *schema
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema schema }
			}
		}
	}
	g.Expect(yaml.Unmarshal(text, &crd)).To(Succeed())
	status := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
	has := func(in *schema, of reflect.Type) {
		for i := range of.NumField() {
			field, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			g.Expect(in.Properties).To(HaveKey(field))
		}
	}
	has(status, reflect.TypeFor[cachev1alpha1.MemcachedStatus]())
	has(status.Properties["conditions"].Items, reflect.TypeFor[metav1.Condition]())
}
