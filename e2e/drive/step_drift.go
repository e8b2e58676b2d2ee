package drive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
)

// drift changes the operator's main child behind its back.
func (s *sampleRun) drift(ctx context.Context, step scenarios.Step) error {
	child, err := s.child(ctx)
	if err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	s.drifted = child.GetName()
	client := s.children(s.sample.Namespace)
	r := request{verb: "patch", resource: s.Workload.MainGVR(), namespace: s.sample.Namespace, name: child.GetName()}
	switch d := step.Drift; {
	case d.Fields != nil:
		return s.driftFields(ctx, r, child, d.Fields)
	case d.Pod != nil, d.Pods != nil:
		return s.kill(ctx, child, d.Pods != nil)
	case d.Delete != nil:
		r.verb, r.do = "delete", func(ctx context.Context) (*unstructured.Unstructured, error) {
			background := metav1.DeletePropagationBackground
			return nil, client.Delete(ctx, r.name, metav1.DeleteOptions{PropagationPolicy: &background})
		}
	case d.Replicas != nil:
		r = merge(r, client, s.Workload.ScalePatch(*d.Replicas), metav1.PatchOptions{})
	case d.Merge != nil:
		patch, err := json.Marshal(d.Merge)
		if err != nil {
			return fmt.Errorf("drift: %w", err)
		}
		r = merge(r, client, patch, metav1.PatchOptions{})
	default:
		var patch []byte
		if d.Owner != nil {
			patch, err = s.ownerPatch(ctx, child)
		} else {
			patch, err = imagePatch(child, d.Image)
		}
		if err != nil {
			return fmt.Errorf("drift: %w", err)
		}
		r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Patch(ctx, r.name, types.JSONPatchType, patch, metav1.PatchOptions{})
		}
	}
	_, err = s.send(ctx, r)
	return err
}

// kill kills a pod of a main child without grace, or all of them.
func (s *sampleRun) kill(ctx context.Context, child *unstructured.Unstructured, all bool) error {
	pods, err := s.podsOf(ctx, child)
	if !all {
		pods = plain.Where(pods, stays)
		pods = pods[:min(1, len(pods))]
	}
	if err != nil || len(pods) == 0 {
		return cmp.Or(err, fmt.Errorf("drift: %s %s/%s has no pod that could be killed", child.GetKind(), child.GetNamespace(), child.GetName()))
	}
	for i := range pods {
		r := request{verb: "delete", resource: workloads.GVR(spec.Pods), namespace: child.GetNamespace(), name: pods[i].GetName()}
		now, uid := int64(0), pods[i].GetUID()
		r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
			return nil, s.Client.Resource(r.resource).Namespace(r.namespace).Delete(ctx, r.name,
				metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &uid}})
		}
		if _, err := s.send(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// stays reports whether a pod neither goes anyway nor is at its end: nobody misses such a one when it is killed.
func stays(pod unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	return pod.GetDeletionTimestamp() == nil && phase != "Succeeded" && phase != "Failed"
}

// podsOf are the pods of a main child.
func (s *sampleRun) podsOf(ctx context.Context, child *unstructured.Unstructured) (pods []unstructured.Unstructured, err error) {
	owners := []unstructured.Unstructured{*child}
	switch main := s.Workload.Main(); {
	case main.Many:
		cr := &unstructured.Unstructured{}
		for _, owner := range child.GetOwnerReferences() {
			if owner.Controller != nil && *owner.Controller {
				cr.SetUID(owner.UID)
			}
		}
		cr.SetNamespace(child.GetNamespace())
		return s.controlled(ctx, s.Workload.MainGVR(), cr)
	case main.Resource == spec.Deployments:
		owners, err = s.controlled(ctx, workloads.GVR(spec.ReplicaSets), child)
	}
	for i := 0; i < len(owners) && err == nil; i++ {
		var own []unstructured.Unstructured
		own, err = s.controlled(ctx, workloads.GVR(spec.Pods), &owners[i])
		pods = append(pods, own...)
	}
	return pods, err
}

// controlled are the objects of a kind that another one of the same namespace controls, by their names.
func (s *sampleRun) controlled(ctx context.Context, kind schema.GroupVersionResource, by *unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	list, err := s.Client.Resource(kind).Namespace(by.GetNamespace()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list every one of %s in %s: %w", kind.Resource, by.GetNamespace(), err)
	}
	return slices.DeleteFunc(list.Items, func(o unstructured.Unstructured) bool { return !metav1.IsControlledBy(&o, by) }), nil
}

// imagePatch is the JSON patch that gives the first container of a child's pods another image.
func imagePatch(child *unstructured.Unstructured, image string) ([]byte, error) {
	containers, _, err := unstructured.NestedSlice(child.Object, "spec", "template", "spec", "containers")
	if err != nil {
		return nil, err
	}
	if len(containers) == 0 {
		return nil, fmt.Errorf("%s %s/%s has no container", child.GetKind(), child.GetNamespace(), child.GetName())
	}
	first, _ := containers[0].(map[string]any)
	const at = "/spec/template/spec/containers/0/"
	return json.Marshal([]map[string]any{
		{"op": "test", "path": at + "name", "value": first["name"]}, // others may have written since
		{"op": "replace", "path": at + "image", "value": image},
	})
}

// ownerPatch is the JSON patch that gives a child an owner beside those that it has: somebody else's object, which does
// not control it.
func (s *sampleRun) ownerPatch(ctx context.Context, child *unstructured.Unstructured) ([]byte, error) {
	owner, err := s.Client.Resource(workloads.GVR("configmaps.v1")).Namespace(child.GetNamespace()).Get(ctx, spec.OtherOwner, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the ConfigMap that is to own %s %s/%s, too: %w", child.GetKind(), child.GetNamespace(), child.GetName(), err)
	}
	reference := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.GetName(), UID: owner.GetUID()}
	const at = "/metadata/ownerReferences"
	if len(child.GetOwnerReferences()) == 0 {
		return json.Marshal([]map[string]any{{"op": "add", "path": at, "value": []metav1.OwnerReference{reference}}})
	}
	return json.Marshal([]map[string]any{{"op": "add", "path": at + "/-", "value": reference}})
}

// child is the main child of the sample's custom resource in its present life, found as the judge finds it: by the name
// that the style declares, or else by the custom resource's UID. Of several it is the one that drifted, or the first.
func (s *sampleRun) child(ctx context.Context) (*unstructured.Unstructured, error) {
	namespace, kind := s.sample.Namespace, s.Workload.Main().Kind
	wanted, err := bounds.ChildName(s.style.Child, namespace, s.sample.Name)
	if err != nil {
		return nil, err
	}
	if wanted != "" {
		return s.children(namespace).Get(ctx, wanted, metav1.GetOptions{})
	}
	cr, err := s.customs(namespace).Get(ctx, s.sample.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("find the %s of %s %s/%s: %w", kind, s.Workload.Resource.Kind, namespace, s.sample.Name, err)
	}
	list, err := s.controlled(ctx, s.Workload.MainGVR(), cr)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		again := slices.IndexFunc(list, func(one unstructured.Unstructured) bool { return one.GetName() == s.drifted })
		return &list[max(again, 0)], nil
	}
	return nil, fmt.Errorf("no %s in %s has %s %s (UID %s) as its controller", kind, namespace, s.Workload.Resource.Kind, cr.GetName(), cr.GetUID())
}
