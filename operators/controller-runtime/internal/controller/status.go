package controller

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

// Types of the conditions.
const (
	// conditionReady: exactly what was asked for is there.
	conditionReady = "Ready"
	// conditionAvailable: enough of the pods serve, as Deployments count it.
	conditionAvailable = "Available"
	// conditionProgressing: the operator or the cluster is on the way to it.
	conditionProgressing = "Progressing"
	// conditionDegraded: something is in the way.
	conditionDegraded = "Degraded"
)

// Reasons of the conditions where nothing is in the operator's way.
const (
	reasonReady           = "AllReplicasReady"
	reasonRollingOut      = "ReplicasNotReady"
	reasonDeleting        = "DeploymentDeleting"
	reasonPodsCannotStart = "PodsCannotStart"
	reasonReplicaFailure  = "ReplicaFailure"
	reasonDeadline        = "ProgressDeadlineExceeded"
)

// statusOf returns the status that the custom resource must have, given its
// Deployment (nil: none), the pods that its selector finds, and what is in the
// way (nil: nothing). A condition's transition time moves only with its status.
func statusOf(m *cachev1alpha1.Memcached, d *appsv1.Deployment, pods []corev1.Pod, trouble *problem) cachev1alpha1.MemcachedStatus {
	own := podsOf(d, pods)
	status := cachev1alpha1.MemcachedStatus{
		Nodes:              readyNames(own),
		Selector:           labels.Set(selectorOf(m)).String(),
		ObservedGeneration: m.Generation,
		Conditions:         slices.Clone(m.Status.Conditions),
	}
	available := false
	if d != nil {
		status.Replicas = d.Status.Replicas
		available = condition(d, appsv1.DeploymentAvailable, corev1.ConditionTrue) != nil
	}
	reason, message, degraded := assess(m, d, own, trouble)
	ready := reason == reasonReady
	for _, c := range []struct {
		kind  string
		holds bool
	}{
		{conditionReady, ready}, {conditionAvailable, available}, {conditionProgressing, !ready && !degraded}, {conditionDegraded, degraded},
	} {
		value := metav1.ConditionFalse
		if c.holds {
			value = metav1.ConditionTrue
		}
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: c.kind, Status: value, Reason: reason, Message: message, ObservedGeneration: m.Generation,
		})
	}
	return status
}

// assess says in a word and in a sentence how far the custom resource is, and
// whether something is in the way.
func assess(m *cachev1alpha1.Memcached, d *appsv1.Deployment, own []corev1.Pod, trouble *problem) (reason, message string, degraded bool) {
	switch {
	case trouble != nil:
		return trouble.reason, trouble.message, trouble.reason != reasonPredecessor
	case d == nil:
		return reasonRollingOut, "the Deployment does not exist yet", false
	case d.DeletionTimestamp != nil:
		return reasonDeleting, "the Deployment is being deleted; it is made again when it is gone", false
	}
	ready, size := int64(len(readyNames(own))), *m.Spec.Size
	message = fmt.Sprintf("%d of %d pods are ready", ready, size)
	if rolledOut(d, size) && ready == size {
		return reasonReady, message, false
	}
	stuck := firstStuck(own)
	message += stuck
	if c := condition(d, appsv1.DeploymentReplicaFailure, corev1.ConditionTrue); c != nil {
		return reasonReplicaFailure, message + ": " + c.Message, true
	}
	if c := condition(d, appsv1.DeploymentProgressing, corev1.ConditionFalse); c != nil {
		return reasonDeadline, message + ": " + c.Message, true
	}
	if stuck != "" {
		return reasonPodsCannotStart, message, true
	}
	return reasonRollingOut, message, false
}

// rolledOut reports whether the Deployment's controller has seen its newest spec and
// has size pods, all of the newest template and all ready.
func rolledOut(d *appsv1.Deployment, size int64) bool {
	s := d.Status
	return s.ObservedGeneration >= d.Generation && int64(s.Replicas) == size && s.UpdatedReplicas == s.Replicas && s.ReadyReplicas == s.Replicas
}

func condition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType, status corev1.ConditionStatus) *appsv1.DeploymentCondition {
	for i := range d.Status.Conditions {
		if c := &d.Status.Conditions[i]; c.Type == kind && c.Status == status {
			return c
		}
	}
	return nil
}
