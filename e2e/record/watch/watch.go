// Package watch fills a recording from a live cluster: it keeps watches open
// and records every event at the moment of its delivery.
package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Target is a resource in a namespace in which a style works.
type Target struct {
	Resource  schema.GroupVersionResource
	Namespace string
	// Of tells which custom resource an object is for; zero: that is not asked.
	Of Of
}

// Name is the resource's name in a recording: plural.version.group.
func (t Target) Name() string { return ResourceName(t.Resource) }

// ResourceName spells a resource as recordings do, for example deployments.v1.apps, or pods.v1 in the core group;
// workloads.GVR reads it.
func ResourceName(r schema.GroupVersionResource) string {
	return strings.TrimSuffix(r.Resource+"."+r.Version+"."+r.Group, ".")
}

const (
	// reconnect is how long to wait before a failed watch is tried again; each failure doubles it, up to reconnectMax.
	reconnect    = 100 * time.Millisecond
	reconnectMax = time.Second
	// openWithin bounds one attempt: an API server that goes down, or comes up, may take a request and never answer.
	openWithin = 5 * time.Second
	// steady is how long a watch has to last for the next attempt to be made at
	// once: the API server ends each after some time, as a matter of course.
	steady = time.Second
	// wholeWithin is how long a broken watch is waited for before what it is needed for begins.
	wholeWithin = 2 * time.Minute
)

// Watches are the watches that are open at a time: one of each resource of the cluster, whose events are told apart by
// their namespaces here, and those of the places in which a style works. The cost of an event is the same however many
// namespaces are covered, and what is in any other is dropped, or never sent: see others.
type Watches struct {
	recorder *record.Recorder
	watchers []*watcher
	cancel   context.CancelFunc
	running  sync.WaitGroup
	customs  *customs
	patience time.Duration // with a watch that is broken

	mu     sync.RWMutex             // held while an event is recorded
	spaces map[string]time.Duration // those that are covered, and how late an event may be there
	left   map[string]bool          // namespaces that are left out
}

// Open watches resources in all namespaces, where only what is in covered ones is recorded (see Cover), and targets,
// where all is. It returns when everything is synced: what exists of the targets is recorded as
// LISTED, and every later change will be seen, until Stop is called. An interrupted watch is taken up again where it
// ended and leaves a gap entry. Where the server cannot go on from there, as after its restart, what exists is LISTED
// anew. Before that, each object that is gone is recorded as DELETED, as it was last seen, at the time at which its
// absence is noticed.
func Open(ctx context.Context, client dynamic.Interface, recorder *record.Recorder, resources []schema.GroupVersionResource, targets ...Target) (*Watches, error) {
	public, err := published(recorder)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Watches{recorder: recorder, cancel: cancel, patience: wholeWithin, spaces: map[string]time.Duration{}, left: map[string]bool{}}
	w.customs = newCustoms(recorder)
	if err := w.plan(ctx, client, public, resources, targets); err != nil {
		w.Stop()
		return nil, err
	}
	for _, one := range w.watchers {
		if err := one.start(ctx); err != nil {
			w.Stop()
			return nil, fmt.Errorf("watch %s: %w", one.where(), err)
		}
	}
	return w, nil
}

// plan says which watches there are to be. A target of a resource that is watched
// in all namespaces needs none of its own.
func (w *Watches) plan(ctx context.Context, client dynamic.Interface, public kube.Public, resources []schema.GroupVersionResource, targets []Target) error {
	at := map[Target]*watcher{}
	add := func(resource schema.GroupVersionResource, namespace string) *watcher {
		one := &watcher{
			Watches: w, client: client.Resource(resource).Namespace(namespace), resource: resource, namespace: namespace, public: public,
			places: map[string]*finder{}, known: map[string]map[types.UID]*record.Watch{}, queue: make(chan func(), queued), whole: make(chan struct{}),
		}
		w.watchers, at[Target{Resource: resource, Namespace: namespace}] = append(w.watchers, one), one
		return one
	}
	for _, resource := range resources {
		add(resource, metav1.NamespaceAll)
	}
	for _, target := range targets {
		one := cmp.Or(at[Target{Resource: target.Resource}], at[Target{Resource: target.Resource, Namespace: target.Namespace}])
		if one == nil {
			one = add(target.Resource, target.Namespace)
		}
		var of *finder
		if target.Of != (Of{}) {
			var err error
			if of, err = newFinder(target.Of, w.customs); err != nil {
				return fmt.Errorf("watch %s in namespace %s: %w", target.Name(), target.Namespace, err)
			}
		}
		one.places[target.Namespace] = of
	}
	if len(resources) == 0 {
		return nil
	}
	return w.others(ctx, client)
}

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// mostOthers bounds what a watch is asked to leave out: all are in its address.
const mostOthers = 100

// others leaves the namespaces that are there already, and in which nothing is watched, out of the watches of all
// namespaces: what other people have in an existing cluster is not even sent. Where namespaces may not be listed, or
// are too many, their events are dropped here.
func (w *Watches) others(ctx context.Context, client dynamic.Interface) error {
	list, err := client.Resource(namespaces).List(ctx, metav1.ListOptions{})
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the namespaces that need not be watched: %w", err)
	}
	for _, one := range w.watchers {
		var terms []fields.Selector
		for i := range list.Items {
			name := list.Items[i].GetName()
			if _, place := one.places[name]; one.namespace == metav1.NamespaceAll && !place && len(terms) < mostOthers {
				terms = append(terms, fields.OneTermNotEqualSelector("metadata.namespace", name))
				w.left[name] = true
			}
		}
		one.fields = fields.AndSelectors(terms...).String()
	}
	return nil
}

// Unnoticed is how late an API server lets an event be without a word: so long it tries to hand it to a watch before it
// closes that. A sample that bears it has no gap where a watch was closed, and went on with all that it missed so soon.
const Unnoticed = 100 * time.Millisecond

// Cover begins to record what is in namespaces that are to be made, and returns when
// every watch is whole, at most two minutes later. An event that is late by more than bears leaves a gap. uncover
// ends that: nothing of them is recorded when it has returned.
func (w *Watches) Cover(ctx context.Context, bears time.Duration, namespaces ...string) (uncover func(), err error) {
	for _, one := range w.watchers {
		if err := one.awaitWhole(ctx); err != nil {
			return nil, fmt.Errorf("wait until %s are watched again: %w", one.where(), err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, namespace := range namespaces {
		if w.left[namespace] {
			return nil, fmt.Errorf("namespace %s is there already, and was left out of what is watched: make it under another name", namespace)
		}
		w.spaces[namespace] = bears
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, namespace := range namespaces {
			delete(w.spaces, namespace)
			for _, one := range w.watchers {
				delete(one.known, namespace)
			}
		}
	}, nil
}

// Blind reports whether something may have happened that is not recorded yet: a watch is broken, or what it missed may
// still be on its way.
func (w *Watches) Blind() bool {
	return slices.ContainsFunc(w.watchers, func(one *watcher) bool {
		one.state.Lock()
		defer one.state.Unlock()
		return one.breaks > 0 || one.healed > 0 && w.recorder.Now()-one.healed < Unnoticed
	})
}

// Stop ends the watches when all that they have delivered is recorded.
func (w *Watches) Stop() {
	w.cancel()
	w.running.Wait()
	w.customs.begins.Stop()
}

// queued is how many events may wait to be recorded. Each has its time already.
const queued = 4096

// watcher keeps one watch open. One goroutine takes what is delivered and looks at
// the clock, another one records it: what one event costs delays no other's time.
type watcher struct {
	*Watches

	client    dynamic.ResourceInterface
	resource  schema.GroupVersionResource
	namespace string             // "": all
	fields    string             // a selector
	places    map[string]*finder // by namespace ("" is all) in which everything is recorded; nil: it is not asked which custom resource an object is for
	public    kube.Public
	version   string // the newest resourceVersion that was seen
	queue     chan func()

	known map[string]map[types.UID]*record.Watch // by namespace: the last of each object that is there

	late *lateness // nil: events come as they happen

	state  sync.Mutex
	whole  chan struct{} // closed while the watch is open
	broken string        // why it is not, or was not last
	breaks int           // those that are not over, or whose gaps are not recorded yet
	healed time.Duration // when the last was; 0: none
}

// where names what is watched.
func (w *watcher) where() string {
	if w.namespace == metav1.NamespaceAll {
		return ResourceName(w.resource) + " in all namespaces (which takes the right to list and watch them in the whole cluster)"
	}
	return ResourceName(w.resource) + " in namespace " + w.namespace
}

// start returns when what exists is recorded.
func (w *watcher) start(ctx context.Context) error {
	w.running.Go(func() {
		for do := range w.queue {
			do()
		}
	})
	events, err := w.open(ctx)
	if err != nil {
		close(w.queue)
		return err
	}
	listed := make(chan struct{})
	w.queue <- func() { close(listed) }
	<-listed
	close(w.whole)
	w.running.Go(func() {
		defer close(w.queue)
		w.run(ctx, events)
	})
	return nil
}

// awaitWhole returns when the watch is open. It is an error if the API server does not open it in time.
func (w *watcher) awaitWhole(ctx context.Context) error {
	w.state.Lock()
	whole := w.whole
	w.state.Unlock()
	late := time.NewTimer(w.patience)
	defer late.Stop()
	select {
	case <-whole:
		return nil
	case <-late.C:
		w.state.Lock()
		defer w.state.Unlock()
		return fmt.Errorf("the API server has not opened the watch for %v; its last answer: %s", w.patience, w.broken)
	case <-w.recorder.Failed():
		return w.recorder.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
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
		list, err := w.client.List(ctx, metav1.ListOptions{FieldSelector: w.fields})
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		at := w.recorder.Now()
		w.queue <- func() { w.relist(at, list) }
		w.version = list.GetResourceVersion()
	}
	events, err := w.client.Watch(ctx, metav1.ListOptions{ResourceVersion: w.version, AllowWatchBookmarks: true, FieldSelector: w.fields})
	w.forget(err)
	return events, err
}

// relist records what existed at a time, and before that what was known and was not there any more.
func (w *watcher) relist(at time.Duration, list *unstructured.UnstructuredList) {
	there := map[types.UID]bool{}
	for i := range list.Items {
		there[list.Items[i].GetUID()] = true
	}
	w.mu.RLock()
	gone := map[types.UID]*record.Watch{}
	for _, objects := range w.known {
		for uid, last := range objects {
			if !there[uid] {
				gone[uid] = last
			}
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(gone)) {
		last := *gone[uid]
		last.Event = string(apiwatch.Deleted)
		w.write(at, uid, &last)
	}
	w.mu.RUnlock()
	for i := range list.Items {
		w.record(at, spec.Listed, &list.Items[i])
	}
}

// forget drops a version that the server no longer has.
func (w *watcher) forget(err error) {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		w.version = ""
	}
}

// run queues events until ctx ends, and opens the watch again when it breaks.
func (w *watcher) run(ctx context.Context, events apiwatch.Interface) {
	for {
		opened := w.recorder.Now()
		reason := w.drain(ctx, events)
		events.Stop()
		from := w.recorder.Now()
		if ctx.Err() != nil {
			return
		}
		w.state.Lock()
		w.whole, w.broken, w.breaks = make(chan struct{}), reason, w.breaks+1
		w.state.Unlock()
		wait, version := reconnect, w.version
		gap := record.Gap{From: from, Resource: ResourceName(w.resource), Namespace: w.namespace, Reason: reason}
		if from-opened < steady && !pause(ctx, wait) {
			w.note(gap) // it was not watched to the end
			return
		}
		var err error
		for events, err = w.open(ctx); err != nil; events, err = w.open(ctx) {
			reason = err.Error()
			w.state.Lock()
			w.broken = reason
			w.state.Unlock()
			gap.Reason = reason
			if !pause(ctx, wait) {
				w.note(gap)
				return
			}
			wait = min(2*wait, reconnectMax)
		}
		w.queue <- w.missed(ctx, gap, version)
		w.queue <- w.heal
		close(w.whole)
	}
}

// heal takes note that a break is over, and recorded.
func (w *watcher) heal() {
	w.state.Lock()
	defer w.state.Unlock()
	w.breaks, w.healed = w.breaks-1, w.recorder.Now()
}

// lateness is what a watch that goes on from where it was missed: nothing, but what
// happened up to a version comes late.
type lateness struct {
	gap     record.Gap
	version uint64
	gaps    map[string]bool // namespaces whose gap is recorded
}

// missed takes note of a gap, which ends now. Where a watch of all namespaces goes on from the version at which it was
// closed, only those have a gap for which something comes late: what happened before it was open again. The API server
// is asked for its version meanwhile, and says no time; an event that comes at once may count as late.
func (w *watcher) missed(ctx context.Context, gap record.Gap, version string) func() {
	at := w.recorder.Now()
	all := func() {
		// The driver learns through Recorder.Err of a recording that failed.
		_ = w.recorder.Record(record.Entry{Time: at, Kind: record.KindGap, Gap: &gap})
	}
	if w.namespace != metav1.NamespaceAll || w.version == "" || version == "" || w.version != version {
		return all
	}
	now := make(chan uint64, 1)
	w.running.Go(func() {
		defer close(now)
		ctx, cancel := context.WithTimeout(ctx, openWithin)
		defer cancel()
		list, err := w.client.List(ctx, metav1.ListOptions{Limit: 1, FieldSelector: w.fields})
		if err != nil {
			return
		}
		if is, err := strconv.ParseUint(list.GetResourceVersion(), 10, 64); err == nil {
			now <- is
		}
	})
	return func() {
		if is, known := <-now; known {
			w.late = &lateness{gap: gap, version: is, gaps: map[string]bool{}}
		} else if ctx.Err() == nil {
			all()
		}
	}
}

// noteLate records the gap of a namespace whose event is late. The lock is held.
func (w *watcher) noteLate(at time.Duration, object *unstructured.Unstructured) {
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	if err == nil && version > w.late.version {
		w.late = nil
		return
	}
	gap := w.late.gap
	gap.Namespace = object.GetNamespace()
	if w.late.gaps[gap.Namespace] || at-gap.From <= w.spaces[gap.Namespace] {
		return
	}
	w.late.gaps[gap.Namespace] = true
	_ = w.recorder.Record(record.Entry{Time: at, Kind: record.KindGap, Gap: &gap})
}

// drain queues events until the watch ends, and says why it did.
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
				w.enqueue(func() { w.record(now, string(event.Type), object) })
			}
		}
	}
}

// enqueue queues an event. Where there is no room for it, what comes meanwhile is not taken, and
// has its time only later: that is a gap.
func (w *watcher) enqueue(do func()) {
	select {
	case w.queue <- do:
		return
	default:
	}
	from := w.recorder.Now()
	w.queue <- do
	w.note(record.Gap{
		From: from, Resource: ResourceName(w.resource), Namespace: w.namespace,
		Reason: fmt.Sprintf("%d events waited to be recorded, and no further one was taken", cap(w.queue)),
	})
}

// note records a gap that lasts until now.
func (w *watcher) note(gap record.Gap) {
	at := w.recorder.Now()
	w.queue <- func() { _ = w.recorder.Record(record.Entry{Time: at, Kind: record.KindGap, Gap: &gap}) }
}

// covers reports whether a namespace is recorded, and what tells there which custom
// resource an object is for; nil: nothing.
func (w *watcher) covers(namespace string) (*finder, bool) {
	if w.namespace != metav1.NamespaceAll {
		return w.places[w.namespace], true
	}
	for _, place := range []string{namespace, metav1.NamespaceAll} {
		if of, is := w.places[place]; is {
			return of, true
		}
	}
	_, covered := w.spaces[namespace]
	return nil, covered
}

// record records an object where it is covered.
func (w *watcher) record(at time.Duration, event string, object *unstructured.Unstructured) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	of, covered := w.covers(object.GetNamespace())
	if !covered {
		return
	}
	if w.late != nil {
		w.noteLate(at, object)
	}
	if of != nil {
		of.mark(object)
	}
	kube.Withhold(object.Object, w.public)
	raw, err := json.Marshal(object.Object)
	if err != nil {
		raw = nil // cannot happen to what was just decoded from JSON
	}
	w.write(at, object.GetUID(), &record.Watch{
		Event: event, Resource: ResourceName(w.resource), Namespace: object.GetNamespace(),
		Name: object.GetName(), UID: string(object.GetUID()), Object: raw,
	})
	if of != nil && event == string(apiwatch.Deleted) {
		delete(of.found, object.GetUID())
	}
}

// write records what was seen of an object, and keeps it while the object is there. The lock is held.
func (w *watcher) write(at time.Duration, uid types.UID, seen *record.Watch) {
	if seen.Event == string(apiwatch.Deleted) {
		delete(w.known[seen.Namespace], uid)
	} else {
		if w.known[seen.Namespace] == nil {
			w.known[seen.Namespace] = map[types.UID]*record.Watch{}
		}
		w.known[seen.Namespace][uid] = seen
	}
	_ = w.recorder.Record(record.Entry{Time: at, Kind: record.KindWatch, Watch: seen})
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
