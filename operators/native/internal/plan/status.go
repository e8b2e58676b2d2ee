package plan

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/operators/native/internal/api"
)

// Reasons of the Ready condition.
const (
	ReasonAllReplicasReady    = "AllReplicasReady"
	ReasonReplicasNotReady    = "ReplicasNotReady"
	ReasonReplicaFailure      = "ReplicaFailure"
	ReasonPodsCannotStart     = "PodsCannotStart"
	ReasonProgressDeadline    = "ProgressDeadlineExceeded"
	ReasonDeploymentDeleting  = "DeploymentDeleting"
	ReasonInvalidSize         = "InvalidSize"
	ReasonDeploymentNotOwned  = "DeploymentNotOwned"
	ReasonPredecessorDeleting = "PredecessorDeleting"
	ReasonApplyFailed         = "ApplyFailed"
)

// Problem is why the operator could not bring the Deployment to what is wanted.
type Problem struct {
	// Reason is a reason of the Ready condition.
	Reason string
	// Message says what is wrong, to the custom resource's user.
	Message string
}

// Status returns the status that the custom resource must have, given its
// Deployment (nil if it has none), the pods that its selector finds and the problem
// that was met (nil if none). Conditions of other types stay as they are; a
// condition's transition time moves only when its status does.
func Status(m *api.Memcached, d *appsv1.Deployment, pods []*corev1.Pod, problem *Problem, now metav1.Time) api.MemcachedStatus {
	nodes := Nodes(d, pods)
	s := api.MemcachedStatus{
		Nodes:              nodes,
		Selector:           Selector(m).String(),
		ObservedGeneration: m.Generation,
		Conditions:         slices.Clone(m.Status.Conditions),
	}
	if d != nil {
		s.Replicas = d.Status.Replicas
	}
	ready := readyCondition(m, d, len(nodes), troubles(d, pods), problem)
	ready.Type = api.ConditionReady
	ready.ObservedGeneration = m.Generation
	ready.LastTransitionTime = now
	meta.SetStatusCondition(&s.Conditions, ready)
	return s
}

// Nodes returns the names of the Deployment's pods that are ready and not on
// their way out, sorted; never nil.
func Nodes(d *appsv1.Deployment, pods []*corev1.Pod) []string {
	nodes := []string{}
	for _, pod := range pods {
		if d != nil && PodReady(pod) && podOf(d, pod) {
			nodes = append(nodes, pod.Name)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// PodReady reports whether the pod serves: it runs, is ready and is not being
// deleted.
func PodReady(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning {
		return false
	}
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// podOf reports whether the pod is one of the Deployment's. A ReplicaSet is named
// after its Deployment and the hash that it labels its pods with, which saves
// watching ReplicaSets only to find out whose a pod is.
func podOf(d *appsv1.Deployment, pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	hash := pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	return owner != nil && owner.Kind == "ReplicaSet" && owner.Name == d.Name+"-"+hash
}

func readyCondition(m *api.Memcached, d *appsv1.Deployment, ready int, trouble string, problem *Problem) metav1.Condition {
	no := func(reason, message string) metav1.Condition {
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message}
	}
	switch {
	case problem != nil:
		return no(problem.Reason, problem.Message)
	case d == nil:
		return no(ReasonReplicasNotReady, "the Deployment does not exist yet")
	case d.DeletionTimestamp != nil:
		return no(ReasonDeploymentDeleting, "the Deployment is being deleted; it is made again when it is gone")
	}
	progress := fmt.Sprintf("%d of %d pods are ready", ready, m.Spec.Size)
	if rolledOut(d, m.Spec.Size) && ready == int(m.Spec.Size) {
		return metav1.Condition{Status: metav1.ConditionTrue, Reason: ReasonAllReplicasReady, Message: progress}
	}
	progress += trouble
	if c := deploymentCondition(d, appsv1.DeploymentReplicaFailure, corev1.ConditionTrue); c != nil {
		return no(ReasonReplicaFailure, progress+": "+c.Message)
	}
	if c := deploymentCondition(d, appsv1.DeploymentProgressing, corev1.ConditionFalse); c != nil {
		return no(ReasonProgressDeadline, progress+": "+c.Message)
	}
	if trouble != "" {
		return no(ReasonPodsCannotStart, progress)
	}
	return no(ReasonReplicasNotReady, progress)
}

// rolledOut reports whether the Deployment's controller has seen its newest spec
// and has size pods, all of the newest template and all ready.
func rolledOut(d *appsv1.Deployment, size int32) bool {
	s := d.Status
	return s.ObservedGeneration >= d.Generation && s.Replicas == size && s.UpdatedReplicas == size && s.ReadyReplicas == size
}

func deploymentCondition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType, status corev1.ConditionStatus) *appsv1.DeploymentCondition {
	i := slices.IndexFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
		return c.Type == kind && c.Status == status
	})
	if i < 0 {
		return nil
	}
	return &d.Status.Conditions[i]
}
