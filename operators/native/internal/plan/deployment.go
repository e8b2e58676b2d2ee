// Package plan is the part of the operator that decides and touches nothing:
// what a custom resource's Deployment must be, how a Deployment that exists
// differs from it, whose it is, and what status follows from what was seen.
package plan

import (
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"operatorbench/operators/native/internal/api"
)

const (
	// Manager is the operator's name: its field manager, the reporting controller
	// of its events, and the managed-by label of what it makes.
	Manager = "memcached-operator"
	// ManagedByLabel marks what the operator made; its caches hold nothing else.
	ManagedByLabel = "app.kubernetes.io/managed-by"
	// InstanceLabel ties a Deployment's pods to one custom resource.
	InstanceLabel = "app.kubernetes.io/instance"

	nameLabel = "app.kubernetes.io/name"
	image     = "docker.io/library/memcached:1.6.18"
	container = "memcached"
	port      = 11211
	// user is the image's own user; a number, because runAsNonRoot cannot be
	// proven of a name.
	user = 11211

	maxLabelLength  = 63
	instanceHashLen = 10
)

// Instance returns the value of InstanceLabel for a custom resource of that
// name. Names may be 253 characters long and label values only 63: a longer name
// is cut, and told apart by a hash of the whole.
func Instance(name string) string {
	if len(name) <= maxLabelLength {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	hash := hex.EncodeToString(sum[:])[:instanceHashLen]
	return name[:maxLabelLength-instanceHashLen-1] + "-" + hash
}

// Selector returns the labels that select the pods of one custom resource, and
// of no other in its namespace.
func Selector(m *api.Memcached) labels.Set {
	return labels.Set{
		nameLabel:      "memcached",
		InstanceLabel:  Instance(m.Name),
		ManagedByLabel: Manager,
	}
}

// Deployment returns what the operator wants the custom resource's Deployment to
// be, and thereby the fields that it owns; others may own further ones.
func Deployment(m *api.Memcached) *appsv1ac.DeploymentApplyConfiguration {
	selector := Selector(m)
	// The walkthrough's own label, for those who select by it.
	all := labels.Merge(selector, labels.Set{"app": "memcached"})
	return appsv1ac.Deployment(m.Name, m.Namespace).
		WithLabels(all).
		WithOwnerReferences(ownerReference(m)).
		WithSpec(appsv1ac.DeploymentSpec().
			WithReplicas(m.Spec.Size).
			WithRevisionHistoryLimit(2).
			WithSelector(metav1ac.LabelSelector().WithMatchLabels(selector)).
			WithTemplate(corev1ac.PodTemplateSpec().
				WithLabels(all).
				WithSpec(podSpec())))
}

func ownerReference(m *api.Memcached) *metav1ac.OwnerReferenceApplyConfiguration {
	return metav1ac.OwnerReference().
		WithAPIVersion(api.APIVersion()).
		WithKind(api.Kind).
		WithName(m.Name).
		WithUID(m.UID).
		WithController(true).
		// A foreground deletion of the custom resource waits for the Deployment.
		WithBlockOwnerDeletion(true)
}

func podSpec() *corev1ac.PodSpecApplyConfiguration {
	return corev1ac.PodSpec().
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false).
		WithSecurityContext(corev1ac.PodSecurityContext().
			WithRunAsNonRoot(true).
			WithRunAsUser(user).
			WithRunAsGroup(user).
			WithSeccompProfile(corev1ac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))).
		WithContainers(corev1ac.Container().
			WithName(container).
			WithImage(image).
			WithImagePullPolicy(corev1.PullIfNotPresent).
			// The walkthrough says -m=64, which memcached 1.6 reads as a limit of zero
			// and exits; --memory-limit is the same option, spelt so that it works.
			WithCommand("memcached", "--memory-limit=64", "-o", "modern", "-v").
			WithPorts(corev1ac.ContainerPort().
				WithName(container).
				WithContainerPort(port).
				WithProtocol(corev1.ProtocolTCP)).
			WithResources(resources()).
			WithSecurityContext(corev1ac.SecurityContext().
				WithAllowPrivilegeEscalation(false).
				WithReadOnlyRootFilesystem(true).
				WithCapabilities(corev1ac.Capabilities().WithDrop("ALL"))))
}

// resources asks for little, so that small clusters hold many pods; the limit is
// memcached's own 64 MiB for items and as much again for connections and buffers.
func resources() *corev1ac.ResourceRequirementsApplyConfiguration {
	return corev1ac.ResourceRequirements().
		WithRequests(corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("5m"),
			corev1.ResourceMemory: resource.MustParse("16Mi"),
		}).
		WithLimits(corev1.ResourceList{
			corev1.ResourceMemory: resource.MustParse("128Mi"),
		})
}
