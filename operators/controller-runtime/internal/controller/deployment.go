package controller

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

const (
	// managedByLabel with managedBy marks what the operator made; its caches hold
	// no other Deployments and pods.
	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "memcached-controller"
	instanceLabel  = "app.kubernetes.io/instance"

	image = "docker.io/library/memcached:1.6.18"
	port  = 11211
	// user is the image's own, as a number: runAsNonRoot cannot be proven of a name.
	user = 11211
)

// selectorOf are the labels of one custom resource's pods, and of no other's in
// its namespace.
func selectorOf(m *cachev1alpha1.Memcached) client.MatchingLabels {
	return client.MatchingLabels{"app": "memcached", instanceLabel: instanceOf(m.Name), managedByLabel: managedBy}
}

// instanceOf is a label value for a name: names may have 253 characters, label
// values 63. A longer one is cut, and told apart by a hash of the whole.
func instanceOf(name string) string {
	const most, digits = 63, 10
	if len(name) <= most {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:most-digits-1] + "-" + hex.EncodeToString(sum[:])[:digits]
}

// want sets what the operator wants of a Deployment, new or found, and leaves all
// else as it is: the API server's defaults, what others added.
func (r *MemcachedReconciler) want(d *appsv1.Deployment, m *cachev1alpha1.Memcached, size int32) error {
	labels := selectorOf(m)
	d.Labels = with(d.Labels, labels)
	if err := ctrl.SetControllerReference(m, d, r.Scheme); err != nil {
		return fmt.Errorf("own Deployment %s: %w", d.Name, err)
	}
	d.Spec.Replicas = &size
	if d.Spec.Selector == nil { // it cannot be changed later
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	}
	d.Spec.Template.Labels = with(d.Spec.Template.Labels, labels)
	pod := &d.Spec.Template.Spec
	pod.AutomountServiceAccountToken = ptr.To(false)
	pod.EnableServiceLinks = ptr.To(false)
	pod.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot:   ptr.To(true),
		RunAsUser:      ptr.To[int64](user),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	i := slices.IndexFunc(pod.Containers, func(c corev1.Container) bool { return c.Name == "memcached" })
	if i < 0 {
		i = len(pod.Containers)
		pod.Containers = append(pod.Containers, corev1.Container{Name: "memcached"})
	}
	wantContainer(&pod.Containers[i])
	return nil
}

// wantContainer is want for memcached's container.
func wantContainer(c *corev1.Container) {
	c.Image = image
	c.ImagePullPolicy = corev1.PullIfNotPresent
	// memcached 1.6 reads the walkthrough's old -m=64 as no memory at all.
	c.Command = []string{"memcached", "--memory-limit=64", "-o", "modern", "-v"}
	c.Ports = []corev1.ContainerPort{{ContainerPort: port, Protocol: corev1.ProtocolTCP}}
	c.SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// with returns labels together with more.
func with(labels, more map[string]string) map[string]string {
	all := maps.Clone(more)
	for key, value := range labels {
		if _, wanted := more[key]; !wanted {
			all[key] = value
		}
	}
	return all
}

// checkOwner returns a *problem unless the Deployment is the custom resource's:
// controlled by it, or by nobody while its labels and selector are those that the
// operator gives it. ctrl.SetControllerReference alone would adopt a Deployment
// that an earlier custom resource of the name left to the garbage collector: it
// does not compare UIDs.
func checkOwner(d *appsv1.Deployment, m *cachev1alpha1.Memcached) error {
	owner := metav1.GetControllerOf(d)
	switch {
	case owner == nil && orphaned(d, m):
		return nil
	case owner == nil:
		return notOwned(d, "was not made for this Memcached")
	case owner.UID == m.UID:
		return nil
	case isMemcached(owner) && owner.Name == m.Name:
		return &problem{reasonPredecessor, fmt.Sprintf("Deployment %s belongs to a deleted Memcached of the same name; a new one is made when it is gone", d.Name)}
	}
	return notOwned(d, fmt.Sprintf("is controlled by %s %s", owner.Kind, owner.Name))
}

func notOwned(d *appsv1.Deployment, whose string) error {
	return &problem{reasonNotOwned, fmt.Sprintf("Deployment %s exists and %s: delete it or give one of the two another name", d.Name, whose)}
}

func orphaned(d *appsv1.Deployment, m *cachev1alpha1.Memcached) bool {
	return d.Labels[managedByLabel] == managedBy && d.Spec.Selector != nil &&
		equality.Semantic.DeepEqual(d.Spec.Selector.MatchLabels, map[string]string(selectorOf(m)))
}

func isMemcached(owner *metav1.OwnerReference) bool {
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && version.Group == cachev1alpha1.GroupVersion.Group && owner.Kind == "Memcached"
}
