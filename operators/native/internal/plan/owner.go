package plan

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/operators/native/internal/api"
)

// NotOwnedError says that the Deployment that has the custom resource's name
// belongs to somebody else, so that the operator must not touch it.
type NotOwnedError struct {
	// Deployment is its name.
	Deployment string
	// Owner says whose it is, in words.
	Owner string
	// Going tells that it is the Deployment of a deleted custom resource of the same
	// name, which the garbage collector is about to delete.
	Going bool
}

// Reason returns the reason of the Ready condition that fits.
func (e *NotOwnedError) Reason() string {
	if e.Going {
		return ReasonPredecessorDeleting
	}
	return ReasonDeploymentNotOwned
}

// Error says what is in the way and what to do about it.
func (e *NotOwnedError) Error() string {
	if e.Going {
		return fmt.Sprintf("Deployment %s %s; a new one is made when it is gone", e.Deployment, e.Owner)
	}
	return fmt.Sprintf("Deployment %s exists and %s: delete it or give one of the two another name", e.Deployment, e.Owner)
}

// CheckOwner returns a *NotOwnedError unless the Deployment is the custom
// resource's: controlled by it, or controlled by nobody while it carries the labels
// and the selector that only this operator gives for it (it was orphaned, or its
// owner reference was removed by hand).
func CheckOwner(d *appsv1.Deployment, m *api.Memcached) error {
	controller := metav1.GetControllerOf(d)
	switch {
	case controller == nil && orphaned(d, m):
		return nil
	case controller == nil:
		return &NotOwnedError{Deployment: d.Name, Owner: "was not made for this Memcached"}
	case controller.UID == m.UID:
		return nil
	case isMemcached(controller) && controller.Name == m.Name:
		return &NotOwnedError{
			Deployment: d.Name,
			Owner:      "belongs to a deleted Memcached of the same name",
			Going:      true,
		}
	default:
		return &NotOwnedError{Deployment: d.Name, Owner: fmt.Sprintf("is controlled by %s %s", controller.Kind, controller.Name)}
	}
}

func orphaned(d *appsv1.Deployment, m *api.Memcached) bool {
	selector := Selector(m)
	return d.Labels[ManagedByLabel] == Manager && d.Spec.Selector != nil &&
		equality.Semantic.DeepEqual(d.Spec.Selector.MatchLabels, map[string]string(selector))
}

func isMemcached(ref *metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && gv.Group == api.Group && ref.Kind == api.Kind
}
