package main

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// world is an API in memory with one custom resource, and the reconciler.
type world struct {
	*testing.T
	*reconciler
	events *record.FakeRecorder
	writes []string
	refuse string // the write that fails
}

var key = client.ObjectKey{Namespace: "services", Name: "example"}

func newWorld(t *testing.T, size int32) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	addToScheme(scheme)
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, events: record.NewFakeRecorder(10)}
	wrote := func(what string, object client.Object, sub ...string) error {
		if _, is := object.(*appsv1.Deployment); is {
			what += " Deployment"
		}
		for _, one := range sub {
			what += " " + one
		}
		w.writes = append(w.writes, what)
		if what == w.refuse {
			return errors.New("refused")
		}
		return nil
	}
	m := &Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Spec: MemcachedSpec{Size: size}}
	w.reconciler = &reconciler{recorder: w.events, image: "example.org/memcached:1.0"}
	w.Client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(m).WithStatusSubresource(m).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return errors.Join(wrote("create", o), c.Create(ctx, o, opts...))
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := wrote("update", o); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			if err := wrote("update", o, sub); err != nil {
				return err
			}
			return c.SubResource(sub).Update(ctx, o, opts...)
		},
	}).Build()
	return w
}

// reconcile expects these writes of one reconcile.
func (w *world) reconcile(want ...string) (ctrl.Result, error) {
	w.Helper()
	w.writes = nil
	result, err := w.Reconcile(w.Context(), ctrl.Request{NamespacedName: key})
	if !slices.Equal(want, w.writes) {
		w.Errorf("expected the writes %q, found %q", want, w.writes)
	}
	return result, err
}

// condition expects the status and the reason of a condition.
func (w *world) condition(kind string, status metav1.ConditionStatus, reason string) {
	w.Helper()
	m := &Memcached{}
	if err := w.Get(w.Context(), key, m); err != nil {
		w.Fatal(err)
	}
	if c := meta.FindStatusCondition(m.Status.Conditions, kind); c == nil || c.Status != status || c.Reason != reason {
		w.Errorf("expected %s %s for %s, found %v", kind, status, reason, c)
	}
}

func TestLife(t *testing.T) {
	w := newWorld(t, 3)
	result, err := w.reconcile("update status", "update", "create Deployment")
	if err != nil || result.RequeueAfter != time.Minute {
		t.Errorf("expected the next look after a minute, found %v, %v", result, err)
	}
	w.condition(available, metav1.ConditionUnknown, "Reconciling")
	if _, err := w.reconcile("update status"); err != nil {
		t.Error(err)
	}
	w.condition(available, metav1.ConditionTrue, "Reconciling")

	m, d := &Memcached{}, &appsv1.Deployment{}
	if err := errors.Join(w.Get(t.Context(), key, m), w.Get(t.Context(), key, d)); err != nil {
		t.Fatal(err)
	}
	if !metav1.IsControlledBy(d, m) || *d.Spec.Replicas != 3 || d.Spec.Template.Spec.Containers[0].Image != "example.org/memcached:1.0" {
		t.Errorf("expected a Deployment of 3 pods that the custom resource controls, found %v", d)
	}
	m.Spec.Size = 5
	if err := w.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if result, err := w.reconcile("update Deployment"); err != nil || !result.Requeue { //nolint:staticcheck // as the sample does
		t.Errorf("expected to be asked again, found %v, %v", result, err)
	}
	if _, err := w.reconcile("update status"); err != nil {
		t.Error(err)
	}

	if err := w.Delete(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if _, err := w.reconcile("update status", "update status", "update"); err != nil {
		t.Error(err)
	}
	if got := <-w.events.Events; got != "Warning Deleting Custom Resource example is being deleted from the namespace services" {
		t.Errorf("found the event %q", got)
	}
	if _, err := w.reconcile(); err != nil {
		t.Errorf("expected nothing of what is gone, found %v", err)
	}
}

func TestResizingFails(t *testing.T) {
	w := newWorld(t, 1)
	_, _ = w.reconcile("update status", "update", "create Deployment")
	m := &Memcached{}
	if err := w.Get(t.Context(), key, m); err != nil {
		t.Fatal(err)
	}
	m.Spec.Size = 2
	if err := w.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	w.refuse = "update Deployment"
	if _, err := w.reconcile("update Deployment", "update status"); err == nil {
		t.Error("expected that it fails")
	}
	w.condition(available, metav1.ConditionFalse, "Resizing")
}
