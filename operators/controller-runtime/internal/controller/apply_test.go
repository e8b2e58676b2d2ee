package controller

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// applying is a world whose reconciler applies.
func applying(t *testing.T, objects ...client.Object) *world {
	t.Helper()
	w := newWorld(t, objects...)
	w.reconciler.Applies = true
	return w
}

// A new Deployment is one request, and nothing is asked for before it. It is the same as the one that is created.
func TestAppliesADeployment(t *testing.T) {
	w, other := applying(t, sized(3)), newWorld(t, sized(3))
	w.reconciler.APIReader = nil
	_, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(Equal([]string{"apply Deployment", "update status of Memcached"}))
	w.settle()
	other.settle()
	w.Expect(w.deployment().Spec).To(Equal(other.deployment().Spec))
	w.Expect(w.deployment().Labels).To(Equal(other.deployment().Labels))
	w.Expect(w.deployment().OwnerReferences).To(Equal(other.deployment().OwnerReferences))
	w.Expect(w.memcached().Status.ObservedGeneration).To(BeEquivalentTo(1))

	w.resize(ptr.To[int64](0))
	_, writes, err = w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(writes).To(Equal([]string{"apply Deployment", "update status of Memcached"}))
	w.Expect(*w.deployment().Spec.Replicas).To(BeZero())
	w.settle()
}

func TestAppliesWhatOthersChangedAndKeepsWhatTheyAdded(t *testing.T) {
	w := applying(t, sized(3))
	w.settle()
	d := w.deployment()
	d.Spec.Template.Spec.Containers[0].Image = "changed:1"
	d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, corev1.Container{Name: "side-car", Image: "proxy:1"})
	w.Expect(w.api.Update(context.Background(), d, client.FieldOwner("somebody"))).To(Succeed())
	w.settle()
	containers := w.deployment().Spec.Template.Spec.Containers
	w.Expect(containers).To(HaveLen(2))
	w.Expect(containers[0].Image).To(Equal(image))
}

// What the cache does not have is not taken over.
func TestAppliesNothingToWhatIsSomebodyElses(t *testing.T) {
	theirs := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	theirs.Spec.Replicas = ptr.To[int32](9)
	theirs.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "other"}}
	theirs.Spec.Template.Labels = map[string]string{"app": "other"}
	w := applying(t, sized(3))
	w.Expect(w.api.Create(context.Background(), theirs, client.FieldOwner("somebody"))).To(Succeed())
	w.hidden["Deployment"] = true
	before := w.deployment()
	result, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(result.RequeueAfter).To(Equal(blockedRetry))
	w.Expect(writes).To(Equal([]string{"apply Deployment", "update status of Memcached"}))
	w.Expect(w.deployment()).To(Equal(before))
	w.Expect(w.condition(conditionReady).Reason).To(Equal(reasonNotOwned))
}

func TestAnApplyUponALateCacheIsRefusedAndTriedAgain(t *testing.T) {
	w := applying(t, sized(3))
	w.settle()
	w.stale["Deployment"] = w.deployment()
	d := w.deployment()
	d.Annotations = map[string]string{"a": "b"}
	w.Expect(w.api.Update(context.Background(), d)).To(Succeed())
	w.resize(ptr.To[int64](5))
	result, writes, err := w.reconcile()
	w.Expect(err).NotTo(HaveOccurred(), "which would be logged")
	w.Expect(result.RequeueAfter).To(Equal(lateRetry))
	w.Expect(writes).To(Equal([]string{"apply Deployment"}), "and no status of what is not so")
	delete(w.stale, "Deployment")
	w.settle()
	w.Expect(*w.deployment().Spec.Replicas).To(BeEquivalentTo(5))
}
