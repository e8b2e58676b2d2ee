package operators

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/fixtures/kube"
)

// installWithin bounds an Install whose context has no deadline.
const installWithin = 3 * time.Minute

// folder is a style that its folder describes in full.
type folder struct{ style Style }

func (f *folder) Style() Style { return f.style }

// Install applies stage by stage and awaits each. Every stage is rendered and
// checked against the cluster before the first is applied.
func (f *folder) Install(ctx context.Context, c Cluster) error {
	ctx, cancel := bounded(ctx, installWithin)
	defer cancel()
	if err := f.install(ctx, c); err != nil {
		return fmt.Errorf("install operator %s: %w", f.style.Name, err)
	}
	return nil
}

func (f *folder) install(ctx context.Context, c Cluster) error {
	stages, err := f.style.render()
	if err != nil {
		return err
	}
	owner := c.owner(f.style.Name)
	if err := refuseForeign(ctx, c, owner, flatten(stages)); err != nil {
		return err
	}
	for i, stage := range f.style.Stages {
		c.progress("%s: stage %s: applying %d objects", f.style.Name, stage.Name, len(stages[i]))
		if err := c.Kube.Apply(ctx, owner, stages[i]); err != nil {
			return fmt.Errorf("stage %s: %w", stage.Name, err)
		}
		for _, gate := range stage.Ready {
			c.progress("%s: stage %s: waiting for %s", f.style.Name, stage.Name, gate)
			if err := f.await(ctx, c, gate); err != nil {
				return fmt.Errorf("stage %s: not ready: waited for %s: %w", stage.Name, gate, err)
			}
		}
	}
	return nil
}

// refuseForeign returns a *kube.ForeignError if any of the objects exists and was
// not made in this run. Apply does the same for one stage; here no stage may
// have been applied when a later one turns out to be in the way.
func refuseForeign(ctx context.Context, c Cluster, owner kube.Owner, objs []*unstructured.Unstructured) error {
	foreign := &kube.ForeignError{Run: owner.Run}
	for _, obj := range objs {
		resource, err := c.Kube.Resource(obj)
		if meta.IsNoMatchError(err) {
			continue // of a kind that the cluster does not know there is none
		}
		if err != nil {
			return err
		}
		live, err := resource.Get(ctx, obj.GetName(), metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("looking whether %s exists: %w", kube.Describe(obj), err)
		}
		if err == nil && !owner.Owns(live) {
			foreign.Objects = append(foreign.Objects, kube.Describe(obj))
		}
	}
	if len(foreign.Objects) > 0 {
		return foreign
	}
	return nil
}

func (f *folder) await(ctx context.Context, c Cluster, gate Gate) error {
	switch {
	case gate.Rollout != nil:
		return c.Kube.WaitRollout(ctx, gate.Rollout.Kind, gate.Rollout.Namespace, gate.Rollout.Name)
	case gate.Condition != nil:
		kind := schema.FromAPIVersionAndKind(gate.Condition.APIVersion, gate.Condition.Kind)
		return c.Kube.WaitCondition(ctx, kind, gate.Condition.Namespace, gate.Condition.Name, gate.Condition.Type)
	case gate.Log != nil:
		component, ok := f.style.Component(gate.Log.Component)
		if !ok {
			return fmt.Errorf("the style has no component %q", gate.Log.Component)
		}
		return c.Kube.WaitLog(ctx, component.Namespace, component.Selector, gate.Log.Contains)
	}
	return errors.New("the gate is empty")
}

// String names what the gate waits for.
func (g Gate) String() string {
	switch {
	case g.Rollout != nil:
		return fmt.Sprintf("the rollout of %s %s/%s", g.Rollout.Kind, g.Rollout.Namespace, g.Rollout.Name)
	case g.Condition != nil:
		return fmt.Sprintf("condition %s of %s %s/%s", g.Condition.Type, g.Condition.Kind, g.Condition.Namespace, g.Condition.Name)
	case g.Log != nil:
		return fmt.Sprintf("%q in the log of %s", g.Log.Contains, g.Log.Component)
	}
	return "nothing"
}
