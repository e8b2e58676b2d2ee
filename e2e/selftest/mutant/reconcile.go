package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/spec/workloads"
)

// seams are where mutants differ: each field is what the correct operator does,
// unless a mutant has put something else there.
type seams struct {
	awaitTurn func(ctx context.Context)                                            // until it may act
	hears     func(change) bool                                                    // whether a change of a custom resource is looked at
	custom    func(name) *object                                                   // the custom resource, as last seen; nil: it is gone
	leaving   func(ctx context.Context, cr *object) error                          // of one that is being deleted
	size      func(cr *object) (int64, error)                                      // that is wanted
	want      func(cr *object, size int64) (*object, error)                        // the Deployment for it
	ensure    func(ctx context.Context, cr *object, size int64) (*object, error)   // that it is there
	known     func(cr, want *object) *object                                       // the Deployment that there is, as last seen; nil: none
	mine      func(cr, have *object) error                                         // whether it may be changed
	create    func(ctx context.Context, cr, want *object) (*object, error)         // where none is known
	merge     func(cr, have, want *object) *object                                 // what the Deployment is to become
	update    func(ctx context.Context, cr, have, next *object) (*object, error)   // where it is otherwise
	report    func(ctx context.Context, cr, have *object, problem error) error     // in Events and in the status
	status    func(cr, have *object, problem error, pods []*object) map[string]any // that is reported
	failed    func(name)                                                           // what comes of a reconcile that failed
}

func correct(o *operator) seams {
	return seams{
		awaitTurn: func(context.Context) {},
		hears:     func(change) bool { return true },
		custom: func(key name) *object {
			cached, _, _ := o.memcacheds.GetStore().GetByKey(key.String()) // the store itself never fails
			return asObject(cached)
		},
		// The garbage collector takes the Deployment, which the custom resource owns.
		leaving: func(context.Context, *object) error { return nil },
		size:    sizeOf,
		want:    wanted,
		ensure:  o.ensureDeployment,
		known: func(_, want *object) *object {
			cached, _, _ := o.deployments.GetStore().GetByKey(want.GetNamespace() + "/" + want.GetName())
			return asObject(cached)
		},
		mine:   owned,
		create: o.createDeployment,
		merge: func(_, have, want *object) *object {
			merged, _ := overlay(have.Object, want.Object).(map[string]any)
			next := &object{Object: merged}
			next.SetOwnerReferences(withOthers(have.GetOwnerReferences(), want.GetOwnerReferences()))
			return next
		},
		update: func(ctx context.Context, _, _, next *object) (*object, error) {
			// It carries the resource version that was read: of two that write, one is refused.
			return o.client.Resource(deployments).Namespace(next.GetNamespace()).Update(ctx, next, metav1.UpdateOptions{FieldManager: manager})
		},
		report: o.writeStatus,
		status: statusOf,
		failed: func(key name) { o.queue.AddRateLimited(key) },
	}
}

// reconcile brings about what a custom resource asks for.
func (o *operator) reconcile(ctx context.Context, key name) error {
	cr := o.custom(key)
	if cr == nil {
		return nil
	}
	if cr.GetDeletionTimestamp() != nil {
		return o.leaving(ctx, cr)
	}
	var have *object
	size, problem := o.size(cr)
	if problem == nil {
		have, problem = o.ensure(ctx, cr, size)
	}
	switch {
	case apierrors.HasStatusCause(problem, corev1.NamespaceTerminatingCause):
		return nil // all of it is going
	case problem != nil && passing(problem):
		return problem
	}
	reported := o.report(ctx, cr, have, problem)
	if errors.Is(problem, errSize) {
		problem = nil // trying again does not help
	}
	return errors.Join(problem, reported)
}

var (
	errSize        = errors.New("spec.size is not usable")
	errPredecessor = errors.New("the Deployment of a predecessor of that name is still there")
	errFinalizer   = errors.New("the finalizer has been set: what was read is out of date")
)

// most is above all that one node can run.
const most = 1000

func sizeOf(cr *object) (int64, error) {
	size, found, err := unstructured.NestedFieldNoCopy(cr.Object, "spec", "size")
	number, whole := size.(int64)
	switch {
	case err != nil || !found:
		return 0, fmt.Errorf("%w: it is missing", errSize)
	case !whole || number < 0 || number > most:
		return 0, fmt.Errorf("%w: want a whole number from 0 to %d, have %v", errSize, most, size)
	}
	return number, nil
}

// wanted is the reference itself, so that nothing needs to be excused.
func wanted(cr *object, size int64) (*object, error) {
	cr = cr.DeepCopy()
	if err := unstructured.SetNestedField(cr.Object, size, "spec", "size"); err != nil {
		return nil, err
	}
	w, err := workloads.Default()
	if err != nil {
		return nil, err
	}
	return w.Child(cr)
}

// owned says what keeps the operator from changing a Deployment.
func owned(cr, have *object) error {
	owner := metav1.GetControllerOf(have)
	switch {
	case owner != nil && owner.UID == cr.GetUID():
		return nil
	case owner != nil && owner.Kind == cr.GetKind() && owner.Name == cr.GetName():
		return errPredecessor // its end is an event of its own
	case owner == nil && selects(have, cr):
		return nil // its owner reference was removed
	}
	return fmt.Errorf("a Deployment %s that is not of this Memcached is in the way: remove or rename it", have.GetName())
}

// selects reports whether a Deployment has the selector that this operator alone gives it.
func selects(have, cr *object) bool {
	selector, _, _ := unstructured.NestedString(have.Object, "spec", "selector", "matchLabels", instanceLabel)
	return selector == cr.GetName()
}

func (o *operator) ensureDeployment(ctx context.Context, cr *object, size int64) (*object, error) {
	want, err := o.want(cr, size)
	if err != nil {
		return nil, err
	}
	have := o.known(cr, want)
	if have == nil {
		return o.create(ctx, cr, want)
	}
	if err := o.mine(cr, have); err != nil {
		return nil, err
	}
	if have.GetDeletionTimestamp() != nil {
		return have, nil // its end is an event of its own
	}
	next := o.merge(cr, have, want)
	if equality.Semantic.DeepEqual(next.Object, have.Object) {
		return have, nil
	}
	return o.update(ctx, cr, have, next)
}

// createDeployment asks the API before it writes: the cache may be late, the
// custom resource gone by now, and the Deployment there.
func (o *operator) createDeployment(ctx context.Context, cr, want *object) (*object, error) {
	live, err := o.client.Resource(customs).Namespace(cr.GetNamespace()).Get(ctx, cr.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("look whether Memcached %s is still there: %w", cr.GetName(), err)
	}
	if live.GetUID() != cr.GetUID() || live.GetDeletionTimestamp() != nil {
		return nil, apierrors.NewNotFound(customs.GroupResource(), cr.GetName())
	}
	client := o.client.Resource(deployments).Namespace(want.GetNamespace())
	if _, err := client.Get(ctx, want.GetName(), metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		if err == nil {
			err = apierrors.NewAlreadyExists(deployments.GroupResource(), want.GetName())
		}
		return nil, fmt.Errorf("look whether Deployment %s is still missing: %w", want.GetName(), err)
	}
	made, err := client.Create(ctx, want, metav1.CreateOptions{FieldManager: manager})
	if err != nil {
		return nil, fmt.Errorf("create Deployment %s: %w", want.GetName(), err)
	}
	o.recorder.Eventf(cr, made, corev1.EventTypeNormal, "Created", "Create", "Created Deployment %s", made.GetName())
	return made, nil
}

// withOthers are the owner references that are wanted, among those of others.
func withOthers(have, want []metav1.OwnerReference) []metav1.OwnerReference {
	all := slices.Clone(have)
	for _, w := range want {
		if i := slices.IndexFunc(all, func(r metav1.OwnerReference) bool { return r.UID == w.UID }); i >= 0 {
			all[i] = w
		} else {
			all = append(all, w)
		}
	}
	return all
}

// overlay puts what is wanted over what there is: objects field by field, lists by the names of their elements, and
// those of the same length element by element. What nothing is wanted of stays.
func overlay(have, want any) any {
	switch want := want.(type) {
	case map[string]any:
		was, _ := have.(map[string]any)
		next := map[string]any{}
		for key, value := range was {
			next[key] = value
		}
		for key, value := range want {
			next[key] = overlay(was[key], value)
		}
		return next
	case []any:
		was, _ := have.([]any)
		if named(want) && named(was) {
			return overlayNamed(was, want)
		}
		next := make([]any, len(want))
		for i, value := range want {
			if len(was) == len(want) {
				next[i] = overlay(was[i], value)
			} else {
				next[i] = value
			}
		}
		return next
	}
	return want
}

// named reports whether each element of a list has a name.
func named(list []any) bool {
	return !slices.ContainsFunc(list, func(element any) bool { return titleOf(element) == "" })
}

func titleOf(element any) string {
	fields, _ := element.(map[string]any)
	text, _ := fields["name"].(string)
	return text
}

// overlayNamed keeps the elements of others.
func overlayNamed(was, want []any) []any {
	next := slices.Clone(was)
	for _, element := range want {
		if i := slices.IndexFunc(next, func(other any) bool { return titleOf(other) == titleOf(element) }); i >= 0 {
			next[i] = overlay(next[i], element)
		} else {
			next = append(next, element)
		}
	}
	return next
}
