package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
)

// remainsError says that a style could not be removed.
type remainsError struct {
	label string
	err   error
}

func (e *remainsError) Error() string {
	return fmt.Sprintf("%s could not be removed: %v", e.label, e.err)
}

func (e *remainsError) Unwrap() error { return e.err }

// inTheWay says how a style that could not be removed is in the way of a participant's turn; nil: it is not. What still
// runs is in everybody's way: it would act on the same custom resources. What does not run is only in the way of a
// style that brings the same objects.
func (e *environment) inTheWay(ctx context.Context, p *participant) (everybodys, itsOwn error) {
	for _, gone := range e.remaining {
		pods, err := e.running(ctx, gone)
		if err != nil {
			return fmt.Errorf("look whether %s, which could not be removed, still runs: %w", gone.label(), err), nil
		}
		if len(pods) > 0 {
			return fmt.Errorf("%s could not be removed, and its pods still run: %s; the run ends here, because they would act on the next style's custom resources; delete these pods (or the cluster), and run again", gone.label(), plain.Some(pods, mostNamed)), nil
		}
		shared, err := e.shared(ctx, gone, p)
		if err == nil && len(shared) > 0 {
			err = errors.New(plain.Some(shared, mostNamed))
		}
		if err != nil {
			itsOwn = errors.Join(itsOwn, fmt.Errorf("not driven any further: it brings what is left of %s, which could not be removed: %w", gone.label(), err))
		}
	}
	return nil, itsOwn
}

// running are the pods of a participant's components.
func (e *environment) running(ctx context.Context, p *participant) ([]string, error) {
	var names []string
	for _, c := range p.operator.Components {
		list, err := e.kube.Typed.CoreV1().Pods(c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: c.Selector})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if phase := list.Items[i].Status.Phase; phase != corev1.PodSucceeded && phase != corev1.PodFailed {
				names = append(names, c.Namespace+"/"+list.Items[i].Name)
			}
		}
	}
	return names, nil
}

// shared are the objects that are left of one participant and that another brings, too.
func (e *environment) shared(ctx context.Context, gone, next *participant) ([]string, error) {
	if next.operator == nil {
		return nil, nil
	}
	brings, err := next.operator.Objects()
	if err != nil {
		return nil, err
	}
	left, err := e.kube.Made(ctx, e.id)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, obj := range left {
		same := func(other *unstructured.Unstructured) bool {
			return other.GroupVersionKind().GroupKind() == obj.GroupVersionKind().GroupKind() && other.GetName() == obj.GetName() &&
				(obj.GetNamespace() == "" || other.GetNamespace() == obj.GetNamespace())
		}
		if obj.GetLabels()[kube.LabelStyle] == gone.name() && slices.ContainsFunc(brings, same) {
			names = append(names, strings.ToLower(obj.GetKind())+"/"+obj.GetName())
		}
	}
	return names, nil
}
