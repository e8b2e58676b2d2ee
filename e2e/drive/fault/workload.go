package fault

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec"
)

// The kinds of workload that a component can be.
const (
	deployment  = "Deployment"
	statefulSet = "StatefulSet"
	daemonSet   = "DaemonSet"
)

// workload makes the pods of a component.
type workload struct {
	kind, namespace, name string
	replicas              int32 // that are wanted; of a DaemonSet 0
}

// plural is the workload's resource in group apps.
func (w workload) plural() string {
	return strings.ToLower(w.kind) + "s"
}

func (w workload) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: w.plural()}
}

// String names it as an object of a fault.
func (w workload) String() string { return w.plural() + "/" + w.namespace + "/" + w.name }

// workloads finds what makes a component's pods, by the labels of its template:
// there need not be a pod at the moment. All of it must be this run's.
func (i *Injector) workloads(ctx context.Context, c spec.Component) ([]workload, error) {
	selector, err := labels.Parse(c.Selector)
	if err != nil {
		return nil, fmt.Errorf("component %s: selector: %w", c.Name, err)
	}
	var found []workload
	add := func(kind string, o metav1.Object, template *corev1.PodTemplateSpec, replicas *int32) error {
		if !selector.Matches(labels.Set(template.Labels)) {
			return nil
		}
		w := workload{kind: kind, namespace: o.GetNamespace(), name: o.GetName(), replicas: 1} // the API's default
		if replicas != nil {
			w.replicas = *replicas
		}
		found = append(found, w)
		return i.mine(ctx, o, kind)
	}
	apps := i.Kube.AppsV1()
	for _, list := range []func() (runtime.Object, error){
		func() (runtime.Object, error) { return apps.Deployments(c.Namespace).List(ctx, metav1.ListOptions{}) },
		func() (runtime.Object, error) { return apps.StatefulSets(c.Namespace).List(ctx, metav1.ListOptions{}) },
		func() (runtime.Object, error) { return apps.DaemonSets(c.Namespace).List(ctx, metav1.ListOptions{}) },
	} {
		all, err := list()
		if err == nil {
			err = meta.EachListItem(all, func(one runtime.Object) error {
				switch o := one.(type) {
				case *appsv1.Deployment:
					return add(deployment, o, &o.Spec.Template, o.Spec.Replicas)
				case *appsv1.StatefulSet:
					return add(statefulSet, o, &o.Spec.Template, o.Spec.Replicas)
				case *appsv1.DaemonSet:
					return add(daemonSet, o, &o.Spec.Template, new(int32))
				}
				return nil
			})
		}
		if err != nil {
			return nil, fmt.Errorf("find the workload of component %s: %w", c.Name, err)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("find the workload of component %s: no Deployment, StatefulSet or DaemonSet in namespace %s makes pods labelled %s", c.Name, c.Namespace, c.Selector)
	}
	return found, nil
}

// patch sends a merge patch of the workload.
func (i *Injector) patch(ctx context.Context, w workload, patch string) error {
	var err error
	apps, body, options := i.Kube.AppsV1(), []byte(patch), metav1.PatchOptions{}
	switch w.kind {
	case deployment:
		_, err = apps.Deployments(w.namespace).Patch(ctx, w.name, types.MergePatchType, body, options)
	case statefulSet:
		_, err = apps.StatefulSets(w.namespace).Patch(ctx, w.name, types.MergePatchType, body, options)
	default:
		_, err = apps.DaemonSets(w.namespace).Patch(ctx, w.name, types.MergePatchType, body, options)
	}
	return err
}

// scale sets how many pods a workload has.
func (i *Injector) scale(ctx context.Context, w workload, replicas int32) error {
	return i.patch(ctx, w, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
}

// serving returns when every pod of the workload is new and available.
func (i *Injector) serving(ctx context.Context, w workload) error {
	return i.client().WaitRollout(ctx, w.kind, w.namespace, w.name)
}
