package controller

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deploymentOf returns the name of the Deployment that a pod is of, which is also
// that of the custom resource; "": of none. A ReplicaSet is named after its
// Deployment and the hash that it labels its pods with, which saves watching
// ReplicaSets only to find out whose a pod is.
func deploymentOf(pod metav1.Object) string {
	set := metav1.GetControllerOf(pod)
	hash := pod.GetLabels()[appsv1.DefaultDeploymentUniqueLabelKey]
	if set == nil || set.Kind != "ReplicaSet" || hash == "" {
		return ""
	}
	name, ok := strings.CutSuffix(set.Name, "-"+hash)
	if !ok {
		return ""
	}
	return name
}

// podsOf returns those of the pods that are the Deployment's, sorted by name.
func podsOf(d *appsv1.Deployment, pods []corev1.Pod) []corev1.Pod {
	var own []corev1.Pod
	for i := range pods {
		if d != nil && deploymentOf(&pods[i]) == d.Name {
			own = append(own, pods[i])
		}
	}
	slices.SortFunc(own, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return own
}

// readyNames are the names of the pods that are ready.
func readyNames(pods []corev1.Pod) []string {
	var names []string
	for i := range pods {
		if podReady(&pods[i]) {
			names = append(names, pods[i].Name)
		}
	}
	return names
}

// podReady reports whether a pod serves: it runs, is ready and is not being deleted.
func podReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning &&
		slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
}

// firstStuck says what keeps the first of the pods that cannot start from it: all
// have the same, as a rule.
func firstStuck(pods []corev1.Pod) string {
	for i := range pods {
		if why := stuck(&pods[i]); why != "" && pods[i].DeletionTimestamp == nil {
			return fmt.Sprintf(": pod %s: %s", pods[i].Name, why)
		}
	}
	return ""
}

// stuck says what keeps a pod from starting, in words that stay the same while the
// kubelet tries again, so that the status need not be written each time; "":
// nothing that is known.
func stuck(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return "it cannot be scheduled: " + c.Message
		}
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Waiting == nil {
			continue
		}
		switch w := c.State.Waiting; w.Reason {
		case "", "ContainerCreating", "PodInitializing":
		case "ErrImagePull", "ImagePullBackOff": // which take turns
			return fmt.Sprintf("ImagePullBackOff: image %s cannot be pulled", c.Image)
		case "CrashLoopBackOff": // whose message counts up
			return fmt.Sprintf("CrashLoopBackOff: container %s crashes again and again", c.Name)
		default:
			return fmt.Sprintf("%s: container %s: %s", w.Reason, c.Name, w.Message)
		}
	}
	return ""
}
