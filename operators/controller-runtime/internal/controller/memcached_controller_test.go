package controller

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

const (
	namespace = "services"
	name      = "example"
)

// world is an API in memory, and a reconciler that reads it through a cache which
// a test can hold back.
type world struct {
	*WithT
	api        client.WithWatch // the API server: what is there
	reconciler *MemcachedReconciler
	events     *events.FakeRecorder

	// hidden objects are not in the cache yet; stale ones are there as they were.
	hidden map[string]bool
	stale  map[string]client.Object
	// refuse is what a write ends with, by verb and kind; nil: it passes.
	refuse map[string]error
	writes []string // verb and kind of each that was tried
}

func newScheme(g *WithT) *runtime.Scheme {
	scheme := runtime.NewScheme()
	g.Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	g.Expect(cachev1alpha1.AddToScheme(scheme)).To(Succeed())
	return scheme
}

func newWorld(t *testing.T, objects ...client.Object) *world {
	t.Helper()
	w := &world{
		WithT: NewWithT(t), events: events.NewFakeRecorder(100),
		hidden: map[string]bool{}, stale: map[string]client.Object{}, refuse: map[string]error{},
	}
	scheme := newScheme(w.WithT)
	w.api = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&cachev1alpha1.Memcached{}, &appsv1.Deployment{}, &corev1.Pod{}).Build()
	cached := interceptor.NewClient(w.api, interceptor.Funcs{
		Get: w.get,
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.write("create", o, func() error { return c.Create(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return w.write("patch", o, func() error { return c.Patch(ctx, o, patch, opts...) })
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return w.write("apply", &appsv1.Deployment{}, func() error { return c.Apply(ctx, o, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return w.write("update "+sub+" of", o, func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
	})
	w.reconciler = &MemcachedReconciler{Client: cached, APIReader: w.api, Scheme: scheme, Recorder: w.events}
	return w
}

func kindOf(o client.Object) string {
	switch o.(type) {
	case *cachev1alpha1.Memcached:
		return "Memcached"
	case *appsv1.Deployment:
		return "Deployment"
	}
	return fmt.Sprintf("%T", o)
}

func (w *world) get(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	kind := kindOf(o)
	if w.hidden[kind] {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, key.Name)
	}
	switch old := w.stale[kind].(type) {
	case *appsv1.Deployment:
		old.DeepCopyInto(o.(*appsv1.Deployment))
		return nil
	case *cachev1alpha1.Memcached:
		old.DeepCopyInto(o.(*cachev1alpha1.Memcached))
		return nil
	}
	return c.Get(ctx, key, o, opts...)
}

func (w *world) write(verb string, o client.Object, do func() error) error {
	what := verb + " " + kindOf(o)
	w.writes = append(w.writes, what)
	if err := w.refuse[what]; err != nil {
		return err
	}
	return do()
}

// reconcile reconciles once, and returns what was written.
func (w *world) reconcile() (ctrl.Result, []string, error) {
	w.writes = nil
	result, err := w.reconciler.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}})
	return result, w.writes, err
}

// settle reconciles until nothing is written, which must be soon.
func (w *world) settle() {
	for range 3 {
		_, writes, err := w.reconcile()
		w.Expect(err).NotTo(HaveOccurred())
		if len(writes) == 0 {
			return
		}
	}
	w.Expect(w.writes).To(BeEmpty(), "a reconcile of what is right already must write nothing")
}

func (w *world) memcached() *cachev1alpha1.Memcached {
	m := &cachev1alpha1.Memcached{}
	w.Expect(w.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, m)).To(Succeed())
	return m
}

func (w *world) deployment() *appsv1.Deployment {
	d := &appsv1.Deployment{}
	w.Expect(w.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, d)).To(Succeed())
	return d
}

func (w *world) condition(kind string) metav1.Condition {
	c := meta.FindStatusCondition(w.memcached().Status.Conditions, kind)
	w.Expect(c).NotTo(BeNil(), "condition %s", kind)
	return *c
}

// told returns the events so far.
func (w *world) told() []string {
	var all []string
	for {
		select {
		case one := <-w.events.Events:
			all = append(all, one)
		default:
			return all
		}
	}
}

func example(size *int64) *cachev1alpha1.Memcached {
	return &cachev1alpha1.Memcached{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "cr-uid", Generation: 1},
		Spec:       cachev1alpha1.MemcachedSpec{Size: size},
	}
}

func sized(size int64) *cachev1alpha1.Memcached { return example(&size) }

// resize changes the wanted size, as the API server would.
func (w *world) resize(size *int64) {
	m := w.memcached()
	m.Spec.Size = size
	m.Generation++
	w.Expect(w.api.Update(context.Background(), m)).To(Succeed())
}

func TestCreatesAnOwnedDeployment(t *testing.T) {
	w := newWorld(t, sized(3))
	_, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(Equal([]string{"create Deployment", "update status of Memcached"}))

	d := w.deployment()
	w.Expect(*d.Spec.Replicas).To(BeEquivalentTo(3))
	w.Expect(d.OwnerReferences).To(Equal([]metav1.OwnerReference{{
		APIVersion: "cache.example.com/v1alpha1", Kind: "Memcached", Name: name, UID: "cr-uid",
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}))
	labels := map[string]string{"app": "memcached", instanceLabel: name, managedByLabel: managedBy}
	w.Expect(d.Spec.Selector.MatchLabels).To(Equal(labels))
	w.Expect(d.Spec.Template.Labels).To(Equal(labels))
	c := d.Spec.Template.Spec.Containers[0]
	w.Expect(c.Image).To(Equal("docker.io/library/memcached:1.6.18"))
	w.Expect(c.Command).To(Equal([]string{"memcached", "--memory-limit=64", "-o", "modern", "-v"}))
	w.Expect(*c.SecurityContext.AllowPrivilegeEscalation).To(BeFalse())

	s := w.memcached().Status
	w.Expect(s.ObservedGeneration).To(BeEquivalentTo(1))
	w.Expect(s.Selector).To(Equal("app.kubernetes.io/instance=example,app.kubernetes.io/managed-by=memcached-controller,app=memcached"))
	w.Expect(w.condition(conditionReady).Status).To(Equal(metav1.ConditionFalse))
	w.Expect(w.condition(conditionProgressing).Status).To(Equal(metav1.ConditionTrue))
	w.Expect(w.condition(conditionDegraded).Status).To(Equal(metav1.ConditionFalse))
	w.Expect(w.told()).To(Equal([]string{"Normal Created Created Deployment example with 3 replicas"}))

	_, writes, err = w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(BeEmpty())
}

func TestABadSizeIsToldAndChangesNothing(t *testing.T) {
	for say, size := range map[string]*int64{
		"spec.size is missing":         nil,
		"have -1":                      ptr.To[int64](-1),
		"have 2147483648":              ptr.To[int64](math.MaxInt32 + 1),
		"want 0 to 2147483647":         ptr.To[int64](math.MinInt64),
		"range: want 0 to 2147483647,": ptr.To[int64](math.MaxInt64),
	} {
		t.Run(say, func(t *testing.T) {
			w := newWorld(t, sized(2))
			w.settle()
			w.told()
			w.resize(size)
			result, writes, err := w.reconcile()
			w.Expect(err).NotTo(HaveOccurred(), "trying again is no help")
			w.Expect(result).To(Equal(ctrl.Result{}))
			w.Expect(writes).To(Equal([]string{"update status of Memcached"}))
			w.Expect(*w.deployment().Spec.Replicas).To(BeEquivalentTo(2), "what runs goes on")
			degraded := w.condition(conditionDegraded)
			w.Expect(degraded.Status).To(Equal(metav1.ConditionTrue))
			w.Expect(degraded.Reason).To(Equal(reasonInvalidSize))
			w.Expect(degraded.Message).To(ContainSubstring(say))
			w.Expect(w.condition(conditionReady).Status).To(Equal(metav1.ConditionFalse))
			w.Expect(w.memcached().Status.ObservedGeneration).To(BeEquivalentTo(2))
			w.Expect(w.told()).To(ConsistOf(ContainSubstring(say)), "one event")

			_, writes, _ = w.reconcile()
			w.Expect(writes).To(BeEmpty())
			w.Expect(w.told()).To(BeEmpty())

			w.resize(ptr.To[int64](1))
			w.settle()
			w.Expect(*w.deployment().Spec.Replicas).To(BeEquivalentTo(1))
			w.Expect(w.condition(conditionDegraded).Status).To(Equal(metav1.ConditionFalse))
		})
	}
}

func TestABadSizeOfANewOneMakesNothing(t *testing.T) {
	w := newWorld(t, sized(-1))
	w.settle()
	w.Expect(w.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, &appsv1.Deployment{})).To(MatchError(apierrors.IsNotFound, "not found"))
	w.Expect(w.condition(conditionDegraded).Message).To(ContainSubstring("-1"))
}

func TestRepairsWhatOthersChangedAndKeepsWhatTheyAdded(t *testing.T) {
	for change, do := range map[string]func(d *appsv1.Deployment){
		"size":        func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](9) },
		"no size":     func(d *appsv1.Deployment) { d.Spec.Replicas = nil },
		"image":       func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "memcached:latest" },
		"command":     func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Command = []string{"sleep"} },
		"port":        func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort = 1 },
		"owner":       func(d *appsv1.Deployment) { d.OwnerReferences = nil },
		"no control":  func(d *appsv1.Deployment) { d.OwnerReferences[0].Controller = nil },
		"privilege":   func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].SecurityContext = nil },
		"root":        func(d *appsv1.Deployment) { d.Spec.Template.Spec.SecurityContext.RunAsNonRoot = nil },
		"token":       func(d *appsv1.Deployment) { d.Spec.Template.Spec.AutomountServiceAccountToken = nil },
		"label":       func(d *appsv1.Deployment) { delete(d.Labels, "app") },
		"pod's label": func(d *appsv1.Deployment) { d.Spec.Template.Labels["app"] = "x" },
	} {
		t.Run(change, func(t *testing.T) {
			w := newWorld(t, sized(2))
			w.settle()
			d := w.deployment()
			wanted := d.DeepCopy()
			do(d)
			d.Annotations = map[string]string{"note": "mine"}
			d.Spec.RevisionHistoryLimit = ptr.To[int32](3)
			pod := &d.Spec.Template.Spec
			pod.Containers = append(pod.Containers, corev1.Container{Name: "side-car", Image: "proxy:1"})
			w.Expect(w.api.Update(context.Background(), d)).To(Succeed())

			_, writes, err := w.reconcile()
			w.Expect(err).NotTo(HaveOccurred())
			w.Expect(writes).To(Equal([]string{"patch Deployment"}))
			got := w.deployment()
			w.Expect(got.Annotations).To(Equal(map[string]string{"note": "mine"}))
			w.Expect(*got.Spec.RevisionHistoryLimit).To(BeEquivalentTo(3))
			w.Expect(got.Spec.Template.Spec.Containers).To(HaveLen(2))
			w.Expect(got.Spec.Template.Spec.Containers[1].Name).To(Equal("side-car"))
			got.Annotations, got.Spec.RevisionHistoryLimit = nil, nil
			got.Spec.Template.Spec.Containers = got.Spec.Template.Spec.Containers[:1]
			w.Expect(got.Spec).To(Equal(wanted.Spec))
			w.Expect(got.Labels).To(Equal(wanted.Labels))
			w.Expect(got.OwnerReferences).To(Equal(wanted.OwnerReferences))
			w.settle()
		})
	}
}

func TestAScaleIsOnePatch(t *testing.T) {
	w := newWorld(t, sized(3))
	w.settle()
	w.resize(ptr.To[int64](0))
	_, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(Equal([]string{"patch Deployment", "update status of Memcached"}))
	w.Expect(*w.deployment().Spec.Replicas).To(BeZero())
	w.settle()
}

func TestADeploymentThatWasDeletedIsMadeAgain(t *testing.T) {
	w := newWorld(t, sized(3))
	w.settle()
	w.Expect(w.api.Delete(context.Background(), w.deployment())).To(Succeed())
	_, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(ContainElement("create Deployment"))
	w.settle()
}

// The watch of Deployments can be ahead of that of custom resources.
func TestNothingIsMadeForWhatTheAPIServerDoesNotHave(t *testing.T) {
	for now, change := range map[string]func(w *world){
		"deleted": func(*world) {},
		"made again": func(w *world) {
			again := sized(1)
			again.UID = "another"
			w.Expect(w.api.Create(context.Background(), again)).To(Succeed())
		},
		"of a newer generation": func(w *world) {
			newer := sized(7)
			newer.Generation = 2
			w.Expect(w.api.Create(context.Background(), newer)).To(Succeed())
		},
	} {
		t.Run(now, func(t *testing.T) {
			w := newWorld(t, sized(3))
			w.stale["Memcached"] = w.memcached()
			w.Expect(w.api.Delete(context.Background(), w.memcached())).To(Succeed())
			change(w)
			result, writes, err := w.reconcile()
			w.Expect(err).NotTo(HaveOccurred())
			w.Expect(result).To(Equal(ctrl.Result{}))
			w.Expect(writes).To(BeEmpty())
		})
	}
}

func TestWhatIsGoingIsLeftAlone(t *testing.T) {
	going := sized(3)
	going.Finalizers, going.DeletionTimestamp = []string{"example.com/keep"}, ptr.To(metav1.Now())
	w := newWorld(t, going)
	_, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(BeEmpty())

	w = newWorld(t)
	_, writes, err = w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(BeEmpty())
}

// The cache can be late about the operator's own creation.
func TestALateCacheMakesNoSecondDeployment(t *testing.T) {
	w := newWorld(t, sized(3))
	w.settle()
	before := w.deployment()
	w.hidden["Deployment"] = true
	result, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(result).To(Equal(ctrl.Result{}))
	w.Expect(writes).To(Equal([]string{"create Deployment"}), "which the API server refuses: it exists")
	w.Expect(w.deployment()).To(Equal(before))
}

func TestAWriteUponALateCacheIsRefusedAndTriedAgain(t *testing.T) {
	w := newWorld(t, sized(3))
	w.settle()
	w.stale["Deployment"] = w.deployment()
	d := w.deployment()
	d.Spec.Template.Spec.Containers[0].Image = "changed:1"
	w.Expect(w.api.Update(context.Background(), d)).To(Succeed())
	w.resize(ptr.To[int64](5))
	result, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred(), "which would be logged")
	w.Expect(result.RequeueAfter).To(Equal(lateRetry))
	w.Expect(writes).To(Equal([]string{"patch Deployment"}), "and no status of what is not so")
	w.Expect(*w.deployment().Spec.Replicas).To(BeEquivalentTo(3))

	delete(w.stale, "Deployment")
	w.settle()
	w.Expect(*w.deployment().Spec.Replicas).To(BeEquivalentTo(5))
	w.Expect(w.deployment().Spec.Template.Spec.Containers[0].Image).To(Equal(image))
}

func TestAStatusMadeFromAnOldOneIsRefusedAndTriedAgain(t *testing.T) {
	w := newWorld(t, sized(3))
	w.settle()
	w.stale["Memcached"] = sized(3) // without its status, of no resource version that is
	w.stale["Memcached"].SetResourceVersion("1")
	before := w.memcached()
	result, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(result.RequeueAfter).To(Equal(lateRetry))
	w.Expect(w.memcached()).To(Equal(before))
	w.Expect(writes).To(Equal([]string{"update status of Memcached"}))
	delete(w.stale, "Memcached")
	_, writes, err = w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(BeEmpty())
}

func TestWhatIsSomebodyElsesIsNotTouched(t *testing.T) {
	foreign := func(change func(d *appsv1.Deployment)) *appsv1.Deployment {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "other"}}
		change(d)
		return d
	}
	owned := func(kind string) func(d *appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			d.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: cachev1alpha1.GroupVersion.String(), Kind: kind, Name: name, UID: "old-uid", Controller: ptr.To(true),
			}}
		}
	}
	for _, test := range []struct {
		name, reason, says string
		theirs             *appsv1.Deployment
		cached             bool
		warned             bool
	}{
		{"made by hand", reasonNotOwned, "was not made for this Memcached", foreign(func(*appsv1.Deployment) {}), true, true},
		{"made by hand, not in the cache", reasonNotOwned, "was not made for this Memcached", foreign(func(*appsv1.Deployment) {}), false, true},
		{"of another kind", reasonNotOwned, "is controlled by Redis example", foreign(owned("Redis")), true, true},
		{"of its predecessor", reasonPredecessor, "belongs to a deleted Memcached", foreign(owned("Memcached")), true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sized(3), test.theirs)
			w.hidden["Deployment"] = !test.cached
			before := w.deployment()
			result, _, err := w.reconcile()
			w.Expect(err).NotTo(HaveOccurred())
			w.Expect(result.RequeueAfter).To(Equal(blockedRetry))
			w.Expect(w.deployment()).To(Equal(before))
			ready := w.condition(conditionReady)
			w.Expect(ready.Status).To(Equal(metav1.ConditionFalse))
			w.Expect(ready.Reason).To(Equal(test.reason))
			w.Expect(ready.Message).To(ContainSubstring(test.says))
			w.Expect(len(w.told()) > 0).To(Equal(test.warned))

			w.hidden["Deployment"] = false
			w.Expect(w.api.Delete(context.Background(), w.deployment())).To(Succeed())
			w.settle()
			w.Expect(w.deployment().OwnerReferences[0].UID).To(BeEquivalentTo("cr-uid"))
			w.Expect(w.condition(conditionReady).Reason).To(Equal(reasonRollingOut))
		})
	}
}

func TestADeploymentThatIsGoingIsAwaited(t *testing.T) {
	w := newWorld(t, sized(3))
	w.settle()
	d := w.deployment()
	d.Finalizers = []string{"foregroundDeletion"}
	w.Expect(w.api.Update(context.Background(), d)).To(Succeed())
	w.Expect(w.api.Delete(context.Background(), d)).To(Succeed())
	_, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(Equal([]string{"update status of Memcached"}))
	w.Expect(w.condition(conditionReady).Reason).To(Equal(reasonDeleting))
}

func TestRefusedWrites(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	terminating := apierrors.NewForbidden(deployments, name, errors.New("namespace is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for _, test := range []struct {
		name string
		err  error
		told bool // in the status
		end  bool // it is not tried again
	}{
		{"by a policy", apierrors.NewForbidden(deployments, name, errors.New("denied by a policy")), true, false},
		{"as invalid", apierrors.NewInvalid(appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind(), name, nil), true, false},
		{"for now", apierrors.NewServiceUnavailable("not yet"), false, false},
		{"by nobody", errors.New("connection refused"), false, false},
		{"in a namespace that goes", terminating, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, sized(3))
			w.refuse["create Deployment"] = test.err
			_, writes, err := w.reconcile()
			if test.end {
				w.Expect(err).NotTo(HaveOccurred())
			} else {
				w.Expect(err).To(MatchError(ContainSubstring(test.err.Error())), "which is tried again")
			}
			if !test.told {
				w.Expect(writes).To(Equal([]string{"create Deployment"}))
				w.Expect(w.told()).To(BeEmpty())
				return
			}
			degraded := w.condition(conditionDegraded)
			w.Expect(degraded.Status).To(Equal(metav1.ConditionTrue))
			w.Expect(degraded.Reason).To(Equal(reasonWriteFailed))
			w.Expect(degraded.Message).To(ContainSubstring(test.err.Error()))
			w.Expect(w.told()).To(HaveLen(1))

			_, writes, _ = w.reconcile()
			w.Expect(writes).To(Equal([]string{"create Deployment"}), "the status has it already")
			w.Expect(w.told()).To(BeEmpty())

			delete(w.refuse, "create Deployment")
			w.settle()
			w.Expect(w.condition(conditionDegraded).Status).To(Equal(metav1.ConditionFalse))
		})
	}
}

// A definition without a status subresource answers that there is none.
func TestWithoutAStatusSubresourceAnEventTells(t *testing.T) {
	w := newWorld(t, sized(-1))
	w.refuse["update status of Memcached"] = apierrors.NewNotFound(schema.GroupResource{Resource: "memcacheds"}, name)
	_, _, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(w.told()).To(ConsistOf(ContainSubstring("-1")))
}
