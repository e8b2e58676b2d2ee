package controller

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"

	"operatorbench/operators/native/internal/plan"
)

// byInstance is the index of custom resources and of pods by namespace and
// instance label, through which a pod finds its custom resource and the reverse.
const byInstance = "instance"

func instanceOfMemcached(object any) ([]string, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, fmt.Errorf("index a Memcached: %w", err)
	}
	return []string{instanceKey(m.GetNamespace(), plan.Instance(m.GetName()))}, nil
}

func instanceOfPod(object any) ([]string, error) {
	pod, err := meta.Accessor(object)
	if err != nil {
		return nil, fmt.Errorf("index a pod: %w", err)
	}
	return []string{instanceKey(pod.GetNamespace(), pod.GetLabels()[plan.InstanceLabel])}, nil
}

func instanceKey(namespace, instance string) string {
	return namespace + "/" + instance
}

// addHandlers makes each watch queue the custom resource that it concerns.
func (c *Controller) addHandlers() error {
	handlers := []struct {
		informer cache.SharedIndexInformer
		handler  cache.ResourceEventHandler
	}{
		// A Deployment has its custom resource's name; one that is not there, or does
		// not own it, makes an empty reconcile. Both its owner reference and its labels
		// may have been removed, so neither is asked.
		{c.memcacheds, c.queueing(c.queueSameName, nil)},
		{c.deployments, c.queueing(c.queueSameName, sameVersion)},
		{c.pods, c.queueing(c.queueInstance, samePod)},
	}
	for _, h := range handlers {
		registration, err := h.informer.AddEventHandler(h.handler)
		if err != nil {
			return fmt.Errorf("set up an informer: %w", err)
		}
		c.handled = append(c.handled, registration)
	}
	return nil
}

// queueing calls queue with every object that was added, changed or deleted,
// except changes that same (if it is not nil) says are none.
func (c *Controller) queueing(queue func(object any), same func(before, after any) bool) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: queue,
		UpdateFunc: func(before, after any) {
			if same == nil || !same(before, after) {
				queue(after)
			}
		},
		DeleteFunc: func(object any) {
			// A deletion that the watch missed comes wrapped in the last known state.
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			queue(object)
		},
	}
}

func (c *Controller) queueSameName(object any) {
	if m, err := meta.Accessor(object); err == nil {
		c.queue.Add(cache.NewObjectName(m.GetNamespace(), m.GetName()))
	}
}

func (c *Controller) queueInstance(object any) {
	keys, err := instanceOfPod(object)
	if err != nil {
		return
	}
	for _, key := range keys {
		owners, err := c.memcacheds.GetIndexer().ByIndex(byInstance, key)
		if err != nil {
			return
		}
		for _, owner := range owners {
			c.queueSameName(owner)
		}
	}
}

// sameVersion reports whether an update is only a relist's echo.
func sameVersion(before, after any) bool {
	b, errB := meta.Accessor(before)
	a, errA := meta.Accessor(after)
	return errB == nil && errA == nil && a.GetResourceVersion() == b.GetResourceVersion()
}

// samePod reports whether nothing changed that the status says about a pod. Pods
// change a dozen times on their way up, and one of these changes matters here.
func samePod(before, after any) bool {
	b, okB := before.(*corev1.Pod)
	a, okA := after.(*corev1.Pod)
	return okB && okA && plan.PodReady(a) == plan.PodReady(b) && plan.Trouble(a) == plan.Trouble(b) &&
		a.Labels[plan.InstanceLabel] == b.Labels[plan.InstanceLabel]
}

// slimPod leaves of a pod what the status is made of: with many custom resources, pods
// are most of the operator's memory.
func slimPod(object any) any {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return object
	}
	pod.Spec = corev1.PodSpec{}
	containers := pod.Status.ContainerStatuses
	pod.Status = corev1.PodStatus{Phase: pod.Status.Phase, Conditions: pod.Status.Conditions}
	for _, c := range containers {
		if c.State.Waiting != nil {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses,
				corev1.ContainerStatus{Name: c.Name, Image: c.Image, State: corev1.ContainerState{Waiting: c.State.Waiting}})
		}
	}
	return pod
}
