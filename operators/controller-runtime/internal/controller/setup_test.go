package controller

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

func TestWhichUpdatesOfACustomResourceAreLookedAt(t *testing.T) {
	g := NewWithT(t)
	passes := func(change func(m *cachev1alpha1.Memcached)) bool {
		before, after := sized(1), sized(1)
		after.ResourceVersion = "2"
		change(after)
		return ofCustomResources().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after})
	}
	g.Expect(passes(func(m *cachev1alpha1.Memcached) { m.Annotations = map[string]string{"a": "b"} })).To(BeFalse())
	g.Expect(passes(func(m *cachev1alpha1.Memcached) { m.Status.Replicas = 3 })).To(BeFalse())
	g.Expect(passes(func(m *cachev1alpha1.Memcached) { m.Generation = 2 })).To(BeTrue())
	g.Expect(passes(func(m *cachev1alpha1.Memcached) { m.UID = "another" })).To(BeTrue(), "deleted and made again while the watch was broken")
	g.Expect(ofCustomResources().Create(event.CreateEvent{Object: sized(1)})).To(BeTrue())
	g.Expect(ofCustomResources().Delete(event.DeleteEvent{Object: sized(1)})).To(BeTrue())
}

func TestWhichUpdatesOfAPodAreLookedAt(t *testing.T) {
	g := NewWithT(t)
	passes := func(before, after corev1.Pod) bool {
		return podChanged().Update(event.UpdateEvent{ObjectOld: &before, ObjectNew: &after})
	}
	unready := pod("a", func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse })
	g.Expect(passes(pod("a"), pod("a", func(p *corev1.Pod) { p.Status.PodIP = "10.0.0.1" }))).To(BeFalse())
	g.Expect(passes(unready, pod("a"))).To(BeTrue())
	g.Expect(passes(pod("a"), unready)).To(BeTrue())
	g.Expect(passes(pod("a", waiting("ContainerCreating")), pod("a", waiting("ErrImagePull")))).To(BeTrue())
	g.Expect(passes(pod("a", waiting("ImagePullBackOff")), pod("a", waiting("ErrImagePull")))).To(BeFalse(), "which take turns")
}

func TestAPodAsksForItsCustomResource(t *testing.T) {
	g := NewWithT(t)
	own, other := pod("a"), pod("b", func(p *corev1.Pod) { p.OwnerReferences = nil })
	g.Expect(requestsOfPod(t.Context(), &own)).To(Equal([]reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}}))
	g.Expect(requestsOfPod(t.Context(), &other)).To(BeEmpty())
}

func TestTheCachesHoldWhatTheOperatorMadeAlone(t *testing.T) {
	g := NewWithT(t)
	kinds := 0
	for kind, by := range CacheOptions().ByObject {
		switch kind.(type) {
		case *appsv1.Deployment, *corev1.Pod:
			kinds++
			g.Expect(by.Label.Matches(labels.Set(selectorOf(sized(1))))).To(BeTrue())
			g.Expect(by.Label.Matches(labels.Set{"app": "memcached"})).To(BeFalse())
		}
	}
	g.Expect(kinds).To(Equal(2))
}

func TestReadyMeansThatAllCachesAreSynced(t *testing.T) {
	g := NewWithT(t)
	informers := &informertest.FakeInformers{Scheme: newScheme(g)}
	check := CachesSynced(informers)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil)
	for _, kind := range []client.Object{&cachev1alpha1.Memcached{}, &appsv1.Deployment{}, &corev1.Pod{}} {
		_, err := informers.FakeInformerFor(t.Context(), kind)
		g.Expect(err).NotTo(HaveOccurred())
		gvk, err := apiutil.GVKForObject(kind, informers.Scheme)
		g.Expect(err).NotTo(HaveOccurred())
		informer := controllertest.NewFakeInformer()
		informers.InformersByGVK[gvk] = informer
		g.Expect(check(request)).To(MatchError(ContainSubstring("is not synced yet")))
		informer.Synced()
	}
	g.Expect(check(request)).To(Succeed())
	informers.Error = errors.New("no API server")
	g.Expect(check(request)).To(MatchError(ContainSubstring("no API server")))
}
