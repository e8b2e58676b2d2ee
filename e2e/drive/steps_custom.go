package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

func (s *sampleRun) create(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	r.verb, r.do = "create", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Create(ctx, s.Workload.New(r.namespace, r.name, step.Create.Size), metav1.CreateOptions{})
	}
	return s.write(ctx, step, r)
}

// patch sends what `kubectl apply` does: a merge patch.
func (s *sampleRun) patch(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	return s.write(ctx, step, merge(r, client, s.Workload.SizePatch(step.Patch.Size), metav1.PatchOptions{}))
}

// applicant is the manager of a server-side apply.
const applicant = "operatorbench-apply"

func (s *sampleRun) apply(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	r.verb, r.do = "apply", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Apply(ctx, r.name, s.Workload.New(r.namespace, r.name, step.Apply.Size), metav1.ApplyOptions{FieldManager: applicant, Force: true})
	}
	return s.write(ctx, step, r)
}

const subresourceScale = "scale"

// scale changes the size as autoscalers do: they read the scale subresource, write
// another number into it, and try again when somebody else has written meanwhile.
func (s *sampleRun) scale(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	r.verb, r.do = record.Scale, func(ctx context.Context) (reply *unstructured.Unstructured, err error) {
		err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
			is, err := client.Get(ctx, r.name, metav1.GetOptions{}, subresourceScale)
			if err != nil {
				return err
			}
			if err := unstructured.SetNestedField(is.Object, int64(step.Scale.Size), "spec", "replicas"); err != nil {
				return err
			}
			reply, err = client.Update(ctx, is, metav1.UpdateOptions{}, subresourceScale)
			return err
		})
		return reply, err
	}
	r.generation = func(ctx context.Context) (int64, error) {
		custom, err := client.Get(ctx, r.name, metav1.GetOptions{})
		if err != nil {
			return 0, fmt.Errorf("read the generation after %s: %w", r.verb, err)
		}
		return custom.GetGeneration(), nil
	}
	return s.write(ctx, step, r)
}

// readScale reads the scale subresource once all is at rest.
func (s *sampleRun) readScale(ctx context.Context, step scenarios.Step) error {
	if err := s.reach(ctx, spec.PointHandled, s.quiet); err != nil {
		return err
	}
	r, client := s.on(step)
	r.verb, r.do = record.ReadScale, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Get(ctx, r.name, metav1.GetOptions{}, subresourceScale)
	}
	_, err := s.send(ctx, r)
	return err
}

// touched is an annotation that no operator reads.
const touched = "operatorbench/touched"

func (s *sampleRun) annotate(ctx context.Context, step scenarios.Step) error {
	for range step.Annotate {
		if err := s.write(ctx, step, s.touch(step)); err != nil {
			return err
		}
	}
	return nil
}

// touch changes an annotation of the step's custom resource, and nothing else.
func (s *sampleRun) touch(step scenarios.Step) request {
	r, client := s.on(step)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, touched, s.Recorder.Now())
	return merge(r, client, patch, metav1.PatchOptions{})
}

// nudge makes the operator look at the custom resource again.
func (s *sampleRun) nudge(ctx context.Context) error {
	r := s.touch(scenarios.Step{})
	r.nudge, r.mayFail = true, true // it may be gone
	_, err := s.send(ctx, r)
	return err
}

func (s *sampleRun) delete(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	if child, err := s.child(ctx); err == nil && step.On == "" && s.sample.Matrix {
		s.left = child.GetName()
	}
	r.verb, r.do = "delete", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return nil, client.Delete(ctx, r.name, metav1.DeleteOptions{})
	}
	return s.write(ctx, step, r)
}

// leastHold is how long the harness keeps a custom resource by its finalizer, or paused, at least.
const leastHold = 2 * time.Second

// hold waits until the operator may have done what it should not.
func (s *sampleRun) hold(ctx context.Context) error {
	return s.until(ctx, s.Recorder.Now()+max(leastHold, s.style.Typical.Reconcile))
}

func (s *sampleRun) finalize(ctx context.Context, step scenarios.Step) error {
	if !*step.Finalize {
		if err := s.hold(ctx); err != nil {
			return err
		}
	}
	r, client := s.on(step)
	r.mayFail = !*step.Finalize // an operator that took it away has let the custom resource go
	r.verb, r.do = "update", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return kube.Hold(ctx, client, r.name, *step.Finalize)
	}
	return s.write(ctx, step, r)
}

// pause pauses the custom resource, or lets it go on.
func (s *sampleRun) pause(ctx context.Context, step scenarios.Step) error {
	fields := s.Workload.Pause
	if !*step.Pause {
		if err := s.hold(ctx); err != nil {
			return err
		}
		fields = removal(fields)
	}
	patch, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	r, client := s.on(step)
	r.paused = step.Pause
	_, err = s.send(ctx, merge(r, client, patch, metav1.PatchOptions{}))
	return err
}

// removal is the merge patch that removes the fields of another one.
func removal(patch map[string]any) map[string]any {
	gone := map[string]any{}
	for key, value := range patch {
		gone[key] = nil
		if inner, is := value.(map[string]any); is {
			gone[key] = removal(inner)
		}
	}
	return gone
}

// turn sets a knob that does not scale to its other value.
func (s *sampleRun) turn(ctx context.Context, step scenarios.Step) error {
	name, knob := s.Workload.Turned(step.Turn)
	patch, err := spec.MergePatch(spec.Fields(knob.Path), knob.To)
	if err != nil {
		return fmt.Errorf("turn the knob %s: %w", name, err)
	}
	r, client := s.on(step)
	r.turned = name
	_, err = s.send(ctx, merge(r, client, patch, metav1.PatchOptions{}))
	return err
}

// submit sends a custom resource that is wrong as kubectl does: strictly, so
// that a field that nobody knows is an error.
func (s *sampleRun) submit(ctx context.Context, step scenarios.Step) error {
	r, _ := s.on(step)
	object := (&unstructured.Unstructured{Object: step.Submit.Object}).DeepCopy()
	group, err := schema.ParseGroupVersion(object.GetAPIVersion())
	if err == nil && !group.Empty() {
		r.resource = group.WithResource(r.resource.Resource)
	}
	client := s.Client.Resource(r.resource).Namespace(r.namespace)
	r.mayFail = step.Submit.Refused
	if step.Submit.Patch {
		patch, err := json.Marshal(object.Object)
		if err != nil {
			return fmt.Errorf("write the patch: %w", err)
		}
		return s.write(ctx, step, merge(r, client, patch, metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}))
	}
	object.SetNamespace(r.namespace)
	object.SetName(r.name)
	r.verb, r.do = "create", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	}
	return s.write(ctx, step, r)
}

// series creates custom resources at its pace, whatever becomes of those before.
// While the operator is down none is under way, however long a reconcile takes.
func (s *sampleRun) series(ctx context.Context, step scenarios.Step) error {
	began, pace := s.Recorder.Now(), step.Series.Pace(s.style.Typical.Reconcile)
	if s.together != nil && s.together.lasts(spec.FaultStop) {
		pace = step.Series.Every
	}
	for i, name := range step.Series.Names() {
		if err := s.until(ctx, began+time.Duration(i)*pace); err != nil {
			return err
		}
		if err := s.create(ctx, scenarios.Step{On: name, Create: &scenarios.Spec{Size: step.Series.Size}}); err != nil {
			return err
		}
		if goes := step.Series.Goes(i); goes != "" {
			if err := s.delete(ctx, scenarios.Step{On: goes}); err != nil {
				return err
			}
		}
		if leaves := step.Series.Leaves(i); leaves != "" {
			namespace, _ := s.place(leaves)
			if err := s.Namespaces.Delete(ctx, namespace); err != nil {
				return fmt.Errorf("delete the namespace %s of a series: %w", namespace, err)
			}
		}
	}
	return nil
}
