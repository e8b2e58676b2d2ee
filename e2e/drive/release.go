package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// release deletes the custom resources in namespaces that have finalizers, while the operator still runs: nobody else
// can clean up behind them. All others go with their namespaces. What is still there after the style's timeout is
// released by force, and recorded.
func (d *Driver) release(ctx context.Context, style Style, namespaces []string) error {
	left, err := d.finalized(ctx, namespaces)
	if err != nil {
		return err
	}
	return d.remove(ctx, style, left)
}

// remove deletes custom resources, and records those that their operator did not release.
func (d *Driver) remove(ctx context.Context, style Style, left []unstructured.Unstructured) error {
	held, err := kube.Remove(ctx, d.Client, d.Workload.GVR(), left, metav1.DeletePropagationBackground, style.Timeout)
	for _, h := range held {
		entry := record.Held{
			Style: style.Name, Variant: style.Variant, Namespace: h.Namespace, Name: h.Name, Finalizers: h.Finalizers, Waited: h.Waited,
		}
		if recorded := d.Recorder.Record(record.Entry{Time: d.Recorder.Now(), Kind: record.KindHeld, Held: &entry}); recorded != nil {
			return recorded
		}
		d.Observer.Held(entry)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // what still waits follows from that
	case err != nil:
		return fmt.Errorf("remove custom resources: %w", err)
	}
	return nil
}

// finalized lists the custom resources in namespaces that have finalizers. The
// harness's own is taken away: steps that came to an early end have left it.
func (d *Driver) finalized(ctx context.Context, namespaces []string) ([]unstructured.Unstructured, error) {
	list, err := d.Client.Resource(d.Workload.GVR()).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil // nobody defines it any more
	}
	if err != nil {
		return nil, fmt.Errorf("look for custom resources that have finalizers: %w", err)
	}
	var found []unstructured.Unstructured
	left := plain.Where(list.Items, func(cr unstructured.Unstructured) bool { return slices.Contains(namespaces, cr.GetNamespace()) })
	problems := []error{kube.Release(ctx, d.Client.Resource(d.Workload.GVR()), left)}
	for _, cr := range left {
		finalizers := plain.Where(cr.GetFinalizers(), func(f string) bool { return f != kube.FinalizerHold })
		if len(finalizers) > 0 {
			found = append(found, cr)
		}
		// With a definition that the operator has brought go its custom resources, each by a finalizer.
		if len(finalizers) > 0 || d.Workload.Definition == "" {
			problems = append(problems, d.allow(ctx, cr))
		}
	}
	return found, errors.Join(problems...)
}

// allow gives a custom resource a size that its definition allows, where steps under another definition have left one
// that it does not: the API server would refuse every write, even one that removes its finalizers.
func (d *Driver) allow(ctx context.Context, cr unstructured.Unstructured) error {
	_, knob := d.Workload.ScaleKnob()
	if size, found := d.Workload.SizeOf(&cr); found && int64(knob.Lowest()) <= size && size <= int64(knob.Highest()) {
		return nil
	}
	_, err := d.customs(cr.GetNamespace()).Patch(ctx, cr.GetName(), types.MergePatchType,
		d.Workload.SizePatch(knob.Lowest()), metav1.PatchOptions{FieldManager: kube.FieldManager})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("give %s a size that its definition allows: %w", kube.Describe(&cr), err)
	}
	return nil
}

// abandon takes the finalizers of all custom resources in namespaces when the style is gone: a sample or a round that
// broke off has left them, and nobody is there who could.
func (d *Driver) abandon(ctx context.Context, namespaces []string) error {
	left, err := d.finalized(ctx, namespaces)
	if err == nil {
		_, err = kube.Remove(ctx, d.Client, d.Workload.GVR(), left, metav1.DeletePropagationBackground, 0)
	}
	return err
}

// taken reports whether the name of a custom resource that a step creates is that of
// one which is being deleted, and which a finalizer holds.
func (s *sampleRun) taken(ctx context.Context, step scenarios.Step) (bool, error) {
	if step.Create == nil {
		return false, nil
	}
	namespace, name := s.place(step.On)
	live, err := s.customs(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look whether %s/%s is there: %w", namespace, name, err)
	}
	return live.GetDeletionTimestamp() != nil, nil
}

// vacate returns when the name of a custom resource that a step creates is free. It is given up out of patience.
func (s *sampleRun) vacate(ctx context.Context, step scenarios.Step) error {
	within, cancel := context.WithTimeout(ctx, cmp.Or(s.sample.Patience, s.style.bound()))
	defer cancel()
	namespace, name := s.place(step.On)
	err := (&kube.Client{Dynamic: s.Client}).WaitGone(within, s.Workload.GVR(), namespace, name)
	if err != nil && ctx.Err() == nil {
		return &unreachedError{spec.PointGone, "the custom resource cannot be created again: " + err.Error()}
	}
	return err
}

// later puts the step at an index behind the mending that follows it.
func later(steps []scenarios.Step, at int) []scenarios.Step {
	to := at
	for to+1 < len(steps) && steps[to+1].Mend != "" {
		to++
	}
	return slices.Insert(slices.Delete(slices.Clone(steps), at, at+1), to, steps[at])
}
