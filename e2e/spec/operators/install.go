package operators

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/bed/kube"
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
	if err := c.Kube.RefuseForeign(ctx, owner, flatten(stages)); err != nil {
		return err
	}
	for i, stage := range f.style.Stages {
		c.progress("%s: stage %s: applying its manifests", f.style.Name, stage.Name)
		if err := c.Kube.Apply(ctx, owner, stages[i]); err != nil {
			return fmt.Errorf("stage %s: %w", stage.Name, err)
		}
		for _, gate := range stage.Ready {
			c.progress("%s: stage %s: waiting for %s", f.style.Name, stage.Name, gate)
			if err := c.Kube.UnlessCrashing(ctx, f.pods(), func(ctx context.Context) error { return f.await(ctx, c, gate) }); err != nil {
				return fmt.Errorf("stage %s: not ready: waited for %s: %w", stage.Name, gate, err)
			}
		}
	}
	return nil
}

// pods are those of the style's components.
func (f *folder) pods() []kube.PodSet {
	var all []kube.PodSet
	for _, component := range f.style.Components {
		all = append(all, kube.PodSet{Namespace: component.Namespace, Selector: component.Selector})
	}
	return all
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
		return c.Kube.WaitLog(ctx, component.Namespace, component.Selector, gate.Log.Contains, max(gate.Log.Pods, 1))
	}
	return errors.New("the gate is empty")
}
