// Package watch fills a recording from a live cluster: it keeps watches open
// and records every event at the moment of its delivery.
package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/record"
	"operatorbench/e2e/bed/kube"
)

// Target is what one watch covers: a resource in one namespace.
type Target struct {
	Resource  schema.GroupVersionResource
	Namespace string
	// Of tells which custom resource an object is for; zero: that is not asked.
	Of Of
}

// Name is the resource's name in a recording: plural.version.group.
func (t Target) Name() string { return ResourceName(t.Resource) }

// ResourceName spells a resource as recordings do, for example
// deployments.v1.apps, or pods.v1 in the core group.
func ResourceName(r schema.GroupVersionResource) string {
	return strings.TrimSuffix(r.Resource+"."+r.Version+"."+r.Group, ".")
}

// ParseResource is the inverse of ResourceName.
func ParseResource(name string) (r schema.GroupVersionResource, ok bool) {
	parts := strings.SplitN(name, ".", 3)
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return r, false
	}
	r.Resource, r.Version = parts[0], parts[1]
	if len(parts) == 3 {
		r.Group = parts[2]
	}
	return r, true
}

const (
	// reconnect is how long to wait before a failed watch is tried again; each
	// failure doubles it, up to reconnectMax.
	reconnect    = 100 * time.Millisecond
	reconnectMax = time.Second
	// openWithin bounds one attempt: an API server that goes down, or comes up,
	// may take a request and never answer.
	openWithin = 5 * time.Second
	// steady is how long a watch has to last for the next attempt to be made at
	// once: the API server ends each after some time, as a matter of course.
	steady = time.Second
)

// Open starts a watch for each target and returns when all of them are synced:
// everything that exists is recorded as LISTED, and every later change will be
// seen. The watches go on until stop is called, which waits for them to end.
// An interrupted watch is taken up again where it ended and leaves a gap entry.
// Where the server cannot go on from there, as after its restart, what exists is
// LISTED anew; of what is not there any more, the last that was seen is recorded
// as DELETED before, at the time at which that is noticed.
func Open(ctx context.Context, client dynamic.Interface, recorder *record.Recorder, targets ...Target) (stop func(), err error) {
	public, err := published(recorder)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	known := newCustoms(recorder)
	stop = func() {
		cancel()
		running.Wait()
		known.begins.Stop()
	}
	for _, target := range targets {
		w := &watcher{
			client: client.Resource(target.Resource).Namespace(target.Namespace), recorder: recorder, target: target,
			known: map[types.UID]*unstructured.Unstructured{}, public: public,
		}
		if target.Of != (Of{}) {
			if w.teller, err = newTeller(target.Of, known); err != nil {
				stop()
				return nil, fmt.Errorf("watch %s in namespace %s: %w", target.Name(), target.Namespace, err)
			}
		}
		events, err := w.open(ctx)
		if err != nil {
			stop()
			return nil, fmt.Errorf("watch %s in namespace %s: %w", target.Name(), target.Namespace, err)
		}
		running.Go(func() { w.run(ctx, events) })
	}
	return stop, nil
}

// watcher keeps one watch open.
type watcher struct {
	client   dynamic.ResourceInterface
	recorder *record.Recorder
	target   Target
	version  string // the newest resourceVersion that was seen
	known    map[types.UID]*unstructured.Unstructured
	public   kube.Public
	teller   *teller // nil: which custom resource an object is for is not asked
}

// published are the texts that the recording's header has anyway.
func published(recorder *record.Recorder) (kube.Public, error) {
	text := recorder.Header().Reference
	if len(text) == 0 {
		return nil, nil
	}
	var reference map[string]any
	if err := json.Unmarshal(text, &reference); err != nil {
		return nil, fmt.Errorf("read the reference of the recording: %w", err)
	}
	return kube.PublicOf(reference), nil
}

// open opens the watch behind the newest version that was seen. Where there is
// none (at first, or when the server no longer has it), it lists what exists.
func (w *watcher) open(ctx context.Context) (apiwatch.Interface, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(openWithin, func() { cancel(fmt.Errorf("no answer within %v", openWithin)) })
	events, err := w.tryOpen(ctx)
	if err == nil && !late.Stop() {
		events.Stop()
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel(nil)
		return nil, err
	}
	return &opened{events, cancel}, nil
}

// opened is a watch with what holds its context.
type opened struct {
	apiwatch.Interface

	cancel context.CancelCauseFunc
}

// Stop ends the watch.
func (o *opened) Stop() {
	o.Interface.Stop()
	o.cancel(nil)
}

func (w *watcher) tryOpen(ctx context.Context) (apiwatch.Interface, error) {
	if w.version == "" {
		list, err := w.client.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		w.miss(list)
		for i := range list.Items {
			w.record(w.recorder.Now(), "LISTED", &list.Items[i])
		}
		w.version = list.GetResourceVersion()
	}
	events, err := w.client.Watch(ctx, metav1.ListOptions{ResourceVersion: w.version, AllowWatchBookmarks: true})
	w.forget(err)
	return events, err
}

// miss records that what was known is not there any more.
func (w *watcher) miss(list *unstructured.UnstructuredList) {
	there := map[types.UID]bool{}
	for i := range list.Items {
		there[list.Items[i].GetUID()] = true
	}
	for _, uid := range slices.Sorted(maps.Keys(w.known)) {
		if !there[uid] {
			w.record(w.recorder.Now(), string(apiwatch.Deleted), w.known[uid])
		}
	}
}

// forget drops a version that the server no longer has.
func (w *watcher) forget(err error) {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		w.version = ""
	}
}

// run records events until ctx ends, and opens the watch again when it breaks.
func (w *watcher) run(ctx context.Context, events apiwatch.Interface) {
	for {
		opened := w.recorder.Now()
		reason := w.drain(ctx, events)
		events.Stop()
		from := w.recorder.Now()
		if ctx.Err() != nil {
			return
		}
		wait := reconnect
		if from-opened < steady && !pause(ctx, wait) {
			return
		}
		var err error
		for events, err = w.open(ctx); err != nil; events, err = w.open(ctx) {
			reason = err.Error()
			if !pause(ctx, wait) {
				return
			}
			wait = min(2*wait, reconnectMax)
		}
		// The driver learns through Recorder.Err of a recording that failed.
		_ = w.recorder.Record(record.Entry{Time: w.recorder.Now(), Kind: record.KindGap, Gap: &record.Gap{
			From: from, Resource: w.target.Name(), Namespace: w.target.Namespace, Reason: reason,
		}})
	}
}

// drain records events until the watch ends, and says why it did.
func (w *watcher) drain(ctx context.Context, events apiwatch.Interface) string {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err().Error()
		case event, open := <-events.ResultChan():
			now := w.recorder.Now()
			if !open {
				return "the server closed the watch"
			}
			if event.Type == apiwatch.Error {
				err := apierrors.FromObject(event.Object)
				w.forget(err)
				return err.Error()
			}
			object, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				return fmt.Sprintf("the watch delivered a %T", event.Object)
			}
			w.version = object.GetResourceVersion()
			if event.Type != apiwatch.Bookmark {
				w.record(now, string(event.Type), object)
			}
		}
	}
}

func (w *watcher) record(at time.Duration, event string, object *unstructured.Unstructured) {
	if w.teller != nil {
		w.teller.tell(object)
	}
	kube.Withhold(object.Object, w.public)
	if event == string(apiwatch.Deleted) {
		delete(w.known, object.GetUID())
	} else {
		w.known[object.GetUID()] = object
	}
	raw, err := json.Marshal(object.Object)
	if err != nil {
		raw = nil // cannot happen to what was just decoded from JSON
	}
	_ = w.recorder.Record(record.Entry{Time: at, Kind: record.KindWatch, Watch: &record.Watch{
		Event: event, Resource: w.target.Name(), Namespace: object.GetNamespace(),
		Name: object.GetName(), UID: string(object.GetUID()), Object: raw,
	}})
}

// pause waits before the next attempt; false when ctx ended.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
