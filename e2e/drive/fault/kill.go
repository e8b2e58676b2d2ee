package fault

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kill deletes the pods of a component without grace, all at once. What owns
// them makes new ones: the fault is over when they are deleted.
func (i *Injector) kill(ctx context.Context, name string, _ Target) (Broken, error) {
	components, err := i.components(name)
	if err != nil {
		return Broken{}, err
	}
	var broken Broken
	var deletions []func() error
	for _, c := range components {
		pods, err := i.pods(ctx, c)
		if err != nil {
			return Broken{}, err
		}
		if len(pods) == 0 {
			return Broken{}, fmt.Errorf("kill component %s: it has no pod (namespace %s, %s)", c.Name, c.Namespace, c.Selector)
		}
		for n := range pods {
			pod := &pods[n]
			broken.Objects = append(broken.Objects, "pods/"+pod.Namespace+"/"+pod.Name)
			deletions = append(deletions, func() error {
				at, uid := int64(0), pod.UID
				options := metav1.DeleteOptions{GracePeriodSeconds: &at, Preconditions: &metav1.Preconditions{UID: &uid}}
				return i.Kube.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, options)
			})
		}
	}
	for n, delete := range deletions {
		if err := delete(); err != nil && !apierrors.IsNotFound(err) {
			return Broken{Objects: broken.Objects[:n]}, fmt.Errorf("kill %s: %w", broken.Objects[n], err)
		}
	}
	return broken, nil
}
