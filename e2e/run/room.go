package run

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/timeline/wire"
)

// room says, once an operator is there and before it is driven, which scenarios ask for more pods than the nodes have room for. Of a
// cluster that does not let its nodes and pods be listed it says nothing.
func (s *Session) room(ctx context.Context, place turn) {
	if place.participant.operator == nil || place.load != "" {
		return
	}
	nodes, err := s.kube.Typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	pods, err := s.kube.Typed.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	each := corev1.ResourceList{}
	requested(s.workload.Asks(), each)
	note := crowded(roomFor(nodes.Items, pods.Items, each), each, s.workload.Resource.Kind, place.plan.Scenarios)
	if note != "" && !slices.Contains(s.notes, note) {
		s.remark(note)
	}
}

// crowded says which scenarios ask for more pods of a custom resource than there is room for, where each requests so much; "": none.
func crowded(room int, each corev1.ResourceList, kind string, list []scenarios.Scenario) string {
	names := plain.Pick(list, func(s scenarios.Scenario) (string, bool) { return s.Name, s.Most() > room })
	if len(names) == 0 {
		return ""
	}
	var amounts []string
	for _, name := range slices.Sorted(maps.Keys(each)) {
		amount := each[name]
		amounts = append(amounts, amount.String()+" of "+string(name))
	}
	return fmt.Sprintf("beside all that runs, the nodes have room for %s of a %s, which requests %s for each: %s, which ask for more, will say nothing of the operator; run them on a larger machine, or request less in the custom resource's template",
		plain.Plural(room, "pod"), kind, plain.List(amounts), few(names, "scenarios"))
}

// roomFor is how many pods there is room for on the nodes, beside the pods that are there, where each requests so much.
func roomFor(nodes []corev1.Node, pods []corev1.Pod, each corev1.ResourceList) int {
	room := 0
	for i := range nodes {
		node := &nodes[i]
		if node.Spec.Unschedulable || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }) {
			continue
		}
		fit := int64(math.MaxInt32)
		for name, amount := range each {
			free := node.Status.Allocatable[name]
			for j := range pods {
				if pod := &pods[j]; pod.Spec.NodeName == node.Name && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
					for k := range pod.Spec.Containers {
						free.Sub(pod.Spec.Containers[k].Resources.Requests[name])
					}
				}
			}
			fit = min(fit, max(free.MilliValue(), 0)/amount.MilliValue())
		}
		room += int(fit)
	}
	return room
}

// requested adds up what an object's containers request, wherever in it.
func requested(value any, sum corev1.ResourceList) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			requested(one, sum)
		}
	case map[string]any:
		for name, amount := range wire.Requested(value) {
			if quantity, err := resource.ParseQuantity(fmt.Sprint(amount)); err == nil && quantity.Sign() > 0 {
				quantity.Add(sum[corev1.ResourceName(name)])
				sum[corev1.ResourceName(name)] = quantity
			}
		}
		for _, inner := range value {
			requested(inner, sum)
		}
	}
}
