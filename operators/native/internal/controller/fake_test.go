package controller

import (
	"errors"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// tracker makes a fake client keep two promises of the API, upon which the
// controller builds and which client-go's own fakes break:
//
//   - An update of what has been changed since it was read is refused. The fakes
//     take it, and take a status for the whole object: a status made from an
//     outdated custom resource puts the outdated spec back.
//   - A watch that follows a list begins where the list ended. The fakes' begins
//     when it is opened, and what was written in between is never told.
//
// It needs no lock: a fake client lets one request in at a time.
type tracker struct {
	clienttesting.ObjectTracker
	version int
	begun   map[place]watch.Interface // Opened by a list, for the watch that follows it.
}

// place is what a list or a watch is of.
type place struct {
	resource  schema.GroupVersionResource
	namespace string
}

// keepPromises puts a tracker before the fake client's own, which holds the objects.
func keepPromises(client *clienttesting.Fake, objects clienttesting.ObjectTracker) {
	// Versions count from beyond those that tests give by hand.
	t := &tracker{ObjectTracker: objects, version: 1000, begun: map[place]watch.Interface{}}
	client.PrependReactor("*", "*", clienttesting.ObjectReaction(t))
	client.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		at := place{action.GetResource(), action.GetNamespace()}
		begun, ok := t.begun[at]
		delete(t.begun, at)
		return ok, begun, nil
	})
}

func (t *tracker) List(resource schema.GroupVersionResource, kind schema.GroupVersionKind, namespace string, options ...metav1.ListOptions) (runtime.Object, error) {
	at := place{resource, namespace}
	if unused, ok := t.begun[at]; ok {
		unused.Stop()
	}
	begun, err := t.Watch(resource, namespace)
	if err != nil {
		return nil, err
	}
	t.begun[at] = begun
	return t.ObjectTracker.List(resource, kind, namespace, options...)
}

func (t *tracker) Update(resource schema.GroupVersionResource, object runtime.Object, namespace string, options ...metav1.UpdateOptions) error {
	if err := t.nextVersion(resource, object, namespace); err != nil {
		return err
	}
	return t.ObjectTracker.Update(resource, object, namespace, options...)
}

// Patch is given the whole object, as the patch makes it of the newest version.
func (t *tracker) Patch(resource schema.GroupVersionResource, object runtime.Object, namespace string, options ...metav1.PatchOptions) error {
	if err := t.nextVersion(resource, object, namespace); err != nil {
		return err
	}
	return t.ObjectTracker.Patch(resource, object, namespace, options...)
}

// nextVersion refuses an object that was not made from the newest version, and
// gives any other the version that comes next.
func (t *tracker) nextVersion(resource schema.GroupVersionResource, object runtime.Object, namespace string) error {
	next, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	is, err := t.Get(resource, namespace, next.GetName())
	if err != nil {
		return err
	}
	newest, err := meta.Accessor(is)
	if err != nil {
		return err
	}
	if next.GetResourceVersion() != newest.GetResourceVersion() {
		return apierrors.NewConflict(resource.GroupResource(), next.GetName(), errors.New("the object has been modified"))
	}
	t.version++
	next.SetResourceVersion(strconv.Itoa(t.version))
	return nil
}
