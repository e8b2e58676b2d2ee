package plan

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Trouble says what keeps the pod from starting, in words that stay the same while
// the kubelet tries again; empty if nothing is known to.
func Trouble(pod *corev1.Pod) string {
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
			return fmt.Sprintf("image %s cannot be pulled (ImagePullBackOff)", c.Image)
		case "CrashLoopBackOff": // its message counts up
			return fmt.Sprintf("container %s crashes again and again", c.Name)
		default:
			return fmt.Sprintf("container %s: %s: %s", c.Name, w.Reason, w.Message)
		}
	}
	return ""
}

// troubles says what keeps the Deployment's pods from starting: that of the first
// by name, for all of them have it, as a rule.
func troubles(d *appsv1.Deployment, pods []*corev1.Pod) string {
	first, trouble := "", ""
	for _, pod := range pods {
		if d == nil || !podOf(d, pod) || pod.DeletionTimestamp != nil || first != "" && strings.Compare(pod.Name, first) > 0 {
			continue
		}
		if t := Trouble(pod); t != "" {
			first, trouble = pod.Name, fmt.Sprintf(": pod %s: %s", pod.Name, t)
		}
	}
	return trouble
}
