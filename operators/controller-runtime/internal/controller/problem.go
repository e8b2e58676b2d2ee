package controller

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Reasons of the conditions where something is in the way.
const (
	reasonInvalidSize = "InvalidSize"
	reasonNotOwned    = "DeploymentNotOwned"
	reasonPredecessor = "PredecessorDeleting"
	reasonWriteFailed = "WriteFailed"
)

// problem is why the Deployment is not as wanted, told to the custom resource's
// user in its status.
type problem struct {
	reason, message string
}

// Error implements error.
func (p *problem) Error() string { return p.message }

// problemOf returns what the status must tell of an error; nil: nothing, because
// there is none, or because the next try is likely to do better.
func problemOf(err error) *problem {
	var told *problem
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		return told
	case !errors.As(err, &status), apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err),
		apierrors.IsServerTimeout(err), apierrors.IsTimeout(err), apierrors.IsTooManyRequests(err),
		apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err):
		return nil
	}
	return &problem{reasonWriteFailed, err.Error()}
}
