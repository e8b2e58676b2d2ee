package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
)

const (
	// uninstallWithin bounds an Uninstall whose context has no deadline.
	uninstallWithin = 4 * time.Minute
	// finalizerGrace is how long controllers get to remove their finalizers. It
	// is above the 60 s of grace that the pod of a JetStream bus has.
	finalizerGrace = 75 * time.Second
	// instancesWithin bounds the removal of the objects of a stage's kinds, so that there is time to stop what runs.
	instancesWithin = 2 * time.Minute
)

// Uninstall goes through the stages in reverse, whatever part of an Install went before it, and returns when nothing is
// left. Before the definitions of a stage go, every object of their kinds goes: the operator's own leftovers, such as
// Workflows, while the controllers that know them still run.
func (i Installation) Uninstall(ctx context.Context, c Cluster) error {
	ctx, cancel := kube.Bounded(ctx, uninstallWithin)
	defer cancel()
	u := uninstaller{Cluster: c, style: i.Style, owner: c.owner(i.Style.Name), grace: finalizerGrace}
	stages := slices.Clone(i.Stages)
	if last := len(stages) - 1; last >= 0 {
		stages[last] = slices.Concat(stages[last], i.added())
	}
	if err := u.remove(ctx, stages); err != nil {
		return fmt.Errorf("uninstall operator %s: %w", i.Style.Name, err)
	}
	return nil
}

// added are the objects of the next version that the stages do not have.
func (i Installation) added() []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(i.Next), func(obj *unstructured.Unstructured) bool {
		return slices.ContainsFunc(i.objects(), func(old *unstructured.Unstructured) bool { return kube.Describe(old) == kube.Describe(obj) })
	})
}

// uninstaller removes what one style has brought.
type uninstaller struct {
	Cluster
	style spec.Style
	owner kube.Owner
	grace time.Duration // that controllers still get to remove their finalizers
}

// remove removes the stages in reverse. A stage that finalizers hold up is tried again at the end: it is free once the
// definitions of its kinds are gone. Whatever cannot be removed, the rest is, so that nothing of the style runs on.
func (u *uninstaller) remove(ctx context.Context, stages [][]*unstructured.Unstructured) error {
	var held []int
	var problems []error
	for i := len(stages) - 1; i >= 0; i-- {
		u.progress("%s: removing stage %s", u.style.Name, u.style.Stages[i].Name)
		if err := u.instances(ctx, stages[i]); err != nil {
			problems = append(problems, fmt.Errorf("stage %s: %w", u.style.Stages[i].Name, err))
		}
		if err := u.stage(ctx, stages[i], i == 0); err != nil {
			u.progress("%s: stage %s is held up: %v", u.style.Name, u.style.Stages[i].Name, err)
			held, u.grace = append(held, i), 0
		}
	}
	for _, i := range held {
		if err := u.Kube.Delete(ctx, u.owner, stages[i]); err != nil {
			problems = append(problems, fmt.Errorf("stage %s: %w", u.style.Stages[i].Name, err))
		}
	}
	return errors.Join(problems...)
}

// stage deletes the objects of a stage. Only the last to go, with the controllers, has all of the time.
func (u *uninstaller) stage(ctx context.Context, objs []*unstructured.Unstructured, last bool) error {
	if !last {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, finalizerGrace)
		defer cancel()
	}
	return u.Kube.Delete(ctx, u.owner, objs)
}

// instances removes every object of the kinds that this run defined in a stage, of all kinds at once.
func (u *uninstaller) instances(ctx context.Context, objs []*unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(ctx, instancesWithin)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for _, obj := range objs {
		if !kube.IsDefinition(obj) {
			continue
		}
		group.Go(func() error {
			gvr, err := u.served(ctx, obj)
			if err == nil && !gvr.Empty() {
				err = u.Kube.RemoveAll(ctx, gvr, metav1.DeletePropagationForeground, u.grace, u.progress)
			}
			if err != nil {
				return fmt.Errorf("removing the objects of %s: %w", kube.Describe(obj), err)
			}
			return nil
		})
	}
	return group.Wait()
}

// served returns the resource of a definition. It is empty if the cluster does not serve it, or did before this run.
func (u *uninstaller) served(ctx context.Context, crd *unstructured.Unstructured) (schema.GroupVersionResource, error) {
	live, err := u.Kube.Live(ctx, crd)
	if err != nil || live == nil || !u.owner.Owns(live) {
		return schema.GroupVersionResource{}, err
	}
	return kube.Served(live), nil
}
