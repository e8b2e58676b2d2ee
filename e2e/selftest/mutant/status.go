package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// writeStatus makes an Event of a problem that is new, and writes the status where
// it changed.
func (o *operator) writeStatus(ctx context.Context, cr, have *object, problem error) error {
	status := o.status(cr, have, problem, o.podsOf(cr))
	was, _, _ := unstructured.NestedMap(cr.Object, "status")
	if equality.Semantic.DeepEqual(was, status) {
		return nil
	}
	if problem != nil && condition(was)["message"] != problem.Error() {
		o.recorder.Eventf(cr, nil, corev1.EventTypeWarning, "Failed", "Reconcile", "%s", problem.Error())
	}
	next := cr.DeepCopy()
	next.Object["status"] = status
	_, err := o.client.Resource(customs).Namespace(cr.GetNamespace()).UpdateStatus(ctx, next, metav1.UpdateOptions{FieldManager: manager})
	if err != nil && !apierrors.IsNotFound(err) { // it is gone, or its definition has no status subresource
		return fmt.Errorf("write the status of Memcached %s: %w", cr.GetName(), err)
	}
	return nil
}

// podsOf returns the pods of a custom resource that are not going.
func (o *operator) podsOf(cr *object) []*object {
	indexed, _ := o.pods.GetIndexer().ByIndex(byInstance, cr.GetNamespace()+"/"+cr.GetName()) // the index is there
	var found []*object
	for _, obj := range indexed {
		if pod := asObject(obj); pod != nil && pod.GetDeletionTimestamp() == nil {
			found = append(found, pod)
		}
	}
	return found
}

// statusOf is the status that follows from what is known.
func statusOf(cr, have *object, problem error, pods []*object) map[string]any {
	was, _, _ := unstructured.NestedMap(cr.Object, "status")
	return map[string]any{
		"nodes":              running(pods),
		"replicas":           int64(len(pods)),
		"selector":           instanceLabel + "=" + cr.GetName(),
		"observedGeneration": cr.GetGeneration(),
		"conditions":         []any{ready(cr, have, problem, condition(was))},
	}
}

// running are the names of the pods that run, sorted.
func running(pods []*object) []any {
	var names []string
	for _, pod := range pods {
		if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); phase == string(corev1.PodRunning) {
			names = append(names, pod.GetName())
		}
	}
	slices.Sort(names)
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return list
}

// ready is the condition Ready; its time is that of its last turn.
func ready(cr, have *object, problem error, was map[string]any) map[string]any {
	now := map[string]any{"type": "Ready", "status": "False", "reason": "Progressing", "message": "pods are on their way"}
	switch {
	case problem != nil:
		now["reason"], now["message"] = "Failed", problem.Error()
	case have != nil && rolledOut(have):
		now["status"], now["reason"], now["message"] = "True", "Ready", "all pods are ready"
	}
	now["observedGeneration"] = cr.GetGeneration()
	now["lastTransitionTime"] = time.Now().UTC().Format(time.RFC3339)
	if at, ok := was["lastTransitionTime"]; ok && was["status"] == now["status"] {
		now["lastTransitionTime"] = at
	}
	return now
}

func rolledOut(deployment *object) bool {
	want, _, _ := unstructured.NestedInt64(deployment.Object, "spec", "replicas")
	ready, _, _ := unstructured.NestedInt64(deployment.Object, "status", "readyReplicas")
	return want == ready
}

// condition is the first condition of a status; nil: there is none.
func condition(status map[string]any) map[string]any {
	list, _, _ := unstructured.NestedSlice(status, "conditions")
	if len(list) == 0 {
		return nil
	}
	first, _ := list[0].(map[string]any)
	return first
}
