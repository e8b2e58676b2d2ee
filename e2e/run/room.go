package run

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
	"operatorbench/e2e/timeline/wire"
)

// room says, once an operator is there and before it is driven, which scenarios ask for more pods than the nodes have
// room for. Of a cluster that does not let its nodes and pods be listed it says nothing.
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
	wire.Request(s.workload.Asks(), each)
	note := crowded(roomFor(nodes.Items, pods.Items, each), each, s.workload.Resource.Kind, place.plan.Scenarios)
	if note != "" && !slices.Contains(s.notes, note) {
		s.remark(note)
	}
}

// crowded says which scenarios ask for more pods of a custom resource than there is room for, where each requests so
// much; "": none.
func crowded(room int, each corev1.ResourceList, kind string, list []scenarios.Scenario) string {
	names := plain.Pick(list, func(s scenarios.Scenario) (string, bool) { return s.Name, s.Most() > room })
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("beside all that runs, the nodes have room for %s of a %s, which requests %s for each: %s, which ask for more, will say nothing of the operator; run them on a larger machine, or request less in the custom resource's template",
		plain.Plural(room, "pod"), kind, amounts(each), few(names, "scenarios"))
}

// amounts is a list of resources as people say it.
func amounts(list corev1.ResourceList) string {
	return plain.List(plain.Map(slices.Sorted(maps.Keys(list)), func(name corev1.ResourceName) string {
		amount := list[name]
		return amount.String() + " of " + string(name)
	}))
}

// asksFor says what an operator's pods, those of its Deployments and the like, and each pod of a custom resource
// request of a node; "": nothing.
func asksFor(objects []*unstructured.Unstructured, w *workloads.Workload) string {
	own, each := corev1.ResourceList{}, corev1.ResourceList{}
	for _, o := range objects {
		template, is, _ := unstructured.NestedMap(o.Object, "spec", "template")
		replicas, said, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
		for n := int64(0); is && (n < replicas || n == 0 && !said); n++ {
			wire.Request(template, own)
		}
	}
	wire.Request(w.Asks(), each)
	var words []string
	if len(own) > 0 {
		words = append(words, amounts(own)+" by its pods")
	}
	if len(each) > 0 {
		words = append(words, amounts(each)+" for each pod of a "+w.Resource.Kind)
	}
	return strings.Join(words, ", and ")
}

// roomFor is how many pods there is room for on the nodes, beside the pods that are there, where each requests so much.
func roomFor(nodes []corev1.Node, pods []corev1.Pod, each corev1.ResourceList) int {
	room := 0
	for i := range nodes {
		node := &nodes[i]
		if !takesPods(node) {
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

// takesPods reports whether pods that tolerate no taint are scheduled to a node: not to one of a control plane, mostly.
func takesPods(node *corev1.Node) bool {
	keepsOff := func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	return !node.Spec.Unschedulable && !slices.ContainsFunc(node.Spec.Taints, keepsOff)
}
