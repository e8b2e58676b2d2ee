package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// installWithin bounds an Install whose context has no deadline.
const installWithin = 3 * time.Minute

// Cluster is where a style is installed, and the run that installs it.
type Cluster struct {
	Kube *kube.Client
	// Run is the run's id; everything that is made carries it as a label.
	Run string
	// Progress, if not nil, is told in a few words what is being done.
	Progress func(format string, args ...any)
}

func (c Cluster) progress(format string, args ...any) {
	if c.Progress != nil {
		c.Progress(format, args...)
	}
}

func (c Cluster) owner(style string) kube.Owner { return kube.Owner{Run: c.Run, Style: style} }

// Installation is what is installed of a style.
type Installation struct {
	Style  spec.Style
	Stages [][]*unstructured.Unstructured // rendered, of each of the style's
	Next   []*unstructured.Unstructured   // rendered, of its next version; none: it has no such
}

// Install applies stage by stage and awaits each. Everything is checked against the cluster before the first is
// applied. It returns when the operator will really see what happens to a custom resource.
func (i Installation) Install(ctx context.Context, c Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, installWithin)
	defer cancel()
	if err := i.install(ctx, c); err != nil {
		return fmt.Errorf("install operator %s: %w", i.Style.Name, err)
	}
	return nil
}

func (i Installation) install(ctx context.Context, c Cluster) error {
	owner := c.owner(i.Style.Name)
	if err := c.Kube.RefuseForeign(ctx, owner, i.objects()); err != nil {
		return err
	}
	for n, stage := range i.Style.Stages {
		c.progress("%s: stage %s: applying its manifests", i.Style.Name, stage.Name)
		if err := c.Kube.Apply(ctx, owner, i.Stages[n]); err != nil {
			return fmt.Errorf("stage %s: %w", stage.Name, err)
		}
		if err := i.ready(ctx, c, "stage "+stage.Name, stage.Ready); err != nil {
			return err
		}
	}
	return nil
}

// ready awaits all gates.
func (i Installation) ready(ctx context.Context, c Cluster, what string, gates []spec.Gate) error {
	for _, gate := range gates {
		c.progress("%s: %s: waiting for %s", i.Style.Name, what, gate)
		if err := c.Kube.UnlessCrashing(ctx, i.pods(), func(ctx context.Context) error { return i.await(ctx, c, gate) }); err != nil {
			return fmt.Errorf("%s: not ready: waited for %s: %w", what, gate, err)
		}
	}
	return nil
}

// Upgrade applies the style's next version over what is there, and awaits it.
func (i Installation) Upgrade(ctx context.Context, c Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, installWithin)
	defer cancel()
	owner := c.owner(i.Style.Name)
	err := c.Kube.RefuseForeign(ctx, owner, i.Next)
	if err == nil {
		err = c.Kube.Apply(ctx, owner, i.Next)
	}
	if err == nil {
		err = i.ready(ctx, c, "the next version", i.Style.Upgrade.Ready)
	}
	if err != nil {
		return fmt.Errorf("upgrade operator %s: %w", i.Style.Name, err)
	}
	return nil
}

// objects are those of all stages, in the order in which they are applied.
func (i Installation) objects() []*unstructured.Unstructured {
	return slices.Concat(i.Stages...)
}

// pods are those of the style's components.
func (i Installation) pods() []kube.PodSet {
	return plain.Map(i.Style.Components, func(component spec.Component) kube.PodSet {
		return kube.PodSet{Namespace: component.Namespace, Selector: component.Selector}
	})
}

// await returns when a gate is open.
func (i Installation) await(ctx context.Context, c Cluster, gate spec.Gate) error {
	switch {
	case gate.Rollout != nil:
		return c.Kube.WaitRollout(ctx, gate.Rollout.Kind, gate.Rollout.Namespace, gate.Rollout.Name)
	case gate.Condition != nil:
		kind := schema.FromAPIVersionAndKind(gate.Condition.APIVersion, gate.Condition.Kind)
		return c.Kube.WaitCondition(ctx, kind, gate.Condition.Namespace, gate.Condition.Name, gate.Condition.Type)
	case gate.Log != nil:
		component, ok := i.Style.Component(gate.Log.Component)
		if !ok {
			return fmt.Errorf("the style has no component %q", gate.Log.Component)
		}
		return c.Kube.WaitLog(ctx, component.Namespace, component.Selector, gate.Log.Contains, max(gate.Log.Pods, 1))
	case gate.Field != nil:
		return awaitField(ctx, c, *gate.Field)
	}
	return errors.New("the gate is empty")
}
