//go:build cluster

package controller

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

var _ = Describe("A Memcached", func() {
	var (
		ctx context.Context
		m   *cachev1alpha1.Memcached
		key client.ObjectKey
	)
	deployment := func(g Gomega) *appsv1.Deployment {
		d := &appsv1.Deployment{}
		g.Expect(api.Get(ctx, key, d)).To(Succeed())
		return d
	}
	status := func(g Gomega) cachev1alpha1.MemcachedStatus {
		now := &cachev1alpha1.Memcached{}
		g.Expect(api.Get(ctx, key, now)).To(Succeed())
		return now.Status
	}
	resize := func(size int64) {
		GinkgoHelper()
		Expect(api.Patch(ctx, m, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"size":%d}}`, size)))).To(Succeed())
	}

	BeforeEach(func() {
		ctx = context.Background()
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "services-"}}
		Expect(api.Create(ctx, ns)).To(Succeed())
		m = &cachev1alpha1.Memcached{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "memcached"}}
		m.Spec.Size = ptr.To[int64](2)
		key = client.ObjectKeyFromObject(m)
		Expect(api.Create(ctx, m)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(*deployment(g).Spec.Replicas).To(BeEquivalentTo(2))
			g.Expect(status(g).ObservedGeneration).To(BeEquivalentTo(1))
		}).Should(Succeed())
	})

	It("has one Deployment, which it owns and which is written once", func() {
		d := deployment(Default)
		Expect(metav1.IsControlledBy(d, m)).To(BeTrue())
		Consistently(func(g Gomega) { g.Expect(deployment(g).ResourceVersion).To(Equal(d.ResourceVersion)) }).Should(Succeed())
		Expect(d.Generation).To(BeEquivalentTo(1))
	})

	It("is followed when its size changes, down to zero", func() {
		for _, size := range []int64{5, 0} {
			resize(size)
			Eventually(func(g Gomega) { g.Expect(*deployment(g).Spec.Replicas).To(BeEquivalentTo(size)) }).Should(Succeed())
		}
		Expect(deployment(Default).Generation).To(BeEquivalentTo(3), "a write for each change")
	})

	It("has its Deployment repaired, and what others added is kept", func() {
		d := deployment(Default)
		d.Spec.Replicas, d.Spec.Template.Spec.Containers[0].Image = ptr.To[int32](7), "changed:1"
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, corev1.Container{Name: "side-car", Image: "proxy:1"})
		delete(d.Labels, managedByLabel)
		Expect(api.Update(ctx, d)).To(Succeed())
		Eventually(func(g Gomega) {
			d := deployment(g)
			g.Expect(*d.Spec.Replicas).To(BeEquivalentTo(2))
			g.Expect(d.Labels).To(HaveKeyWithValue(managedByLabel, managedBy))
			containers := map[string]string{}
			for _, c := range d.Spec.Template.Spec.Containers {
				containers[c.Name] = c.Image
			}
			g.Expect(containers).To(Equal(map[string]string{"memcached": image, "side-car": "proxy:1"}))
		}).Should(Succeed())
	})

	It("has its Deployment made again when it was deleted, and not when it is deleted itself", func() {
		was := deployment(Default).UID
		Expect(api.Delete(ctx, deployment(Default))).To(Succeed())
		Eventually(func(g Gomega) { g.Expect(deployment(g).UID).NotTo(Equal(was)) }).Should(Succeed())

		Expect(api.Delete(ctx, m)).To(Succeed())
		Expect(api.Delete(ctx, deployment(Default))).To(Succeed()) // as the garbage collector does
		Consistently(func() error { return api.Get(ctx, key, &appsv1.Deployment{}) }).Should(MatchError(apierrors.IsNotFound, "not found"))
	})

	It("tells of the pods that run", func() {
		d := deployment(Default)
		for _, name := range []string{"b", "a"} {
			p := pod(name, func(p *corev1.Pod) {
				p.Namespace, p.Labels = key.Namespace, with(p.Labels, d.Spec.Selector.MatchLabels)
				p.OwnerReferences[0] = metav1.OwnerReference{
					APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "memcached-abc", UID: "set", Controller: ptr.To(true),
				}
				p.Spec.Containers = []corev1.Container{{Name: "memcached", Image: image}}
			})
			want := p.Status
			Expect(api.Create(ctx, &p)).To(Succeed())
			p.Status = want
			Expect(api.Status().Update(ctx, &p)).To(Succeed())
		}
		d.Status = rolledOutTo(2).Status
		Expect(api.Status().Update(ctx, d)).To(Succeed())
		Eventually(func(g Gomega) {
			s := status(g)
			g.Expect(s.Nodes).To(Equal([]string{"a", "b"}))
			g.Expect(s.Replicas).To(BeEquivalentTo(2))
			g.Expect(meta.IsStatusConditionTrue(s.Conditions, conditionReady)).To(BeTrue())
		}).Should(Succeed())

		Expect(api.Delete(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: "a"}}, client.GracePeriodSeconds(0))).To(Succeed())
		Eventually(func(g Gomega) { g.Expect(status(g).Nodes).To(Equal([]string{"b"})) }).Should(Succeed())
	})

	It("is left alone when only annotations change", func() {
		before := status(Default)
		Expect(api.Patch(ctx, m, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"note":"x"}}}`)))).To(Succeed())
		Consistently(func(g Gomega) { g.Expect(status(g)).To(Equal(before)) }).Should(Succeed())
	})
})
