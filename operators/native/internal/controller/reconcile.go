package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"operatorbench/operators/native/internal/api"
	"operatorbench/operators/native/internal/plan"
)

// reconcile brings one custom resource's Deployment and status to what they must
// be. A custom resource that is gone or going needs nothing: its Deployment's owner
// reference makes the cluster's garbage collector delete it.
func (c *Controller) reconcile(ctx context.Context, key cache.ObjectName) (Outcome, error) {
	cr, err := c.memcached(key)
	if err != nil {
		return OutcomeError, err
	}
	if cr == nil || cr.GetDeletionTimestamp() != nil {
		return OutcomeDone, nil
	}

	var deployment *appsv1.Deployment
	m, err := api.FromUnstructured(cr)
	if err == nil {
		deployment, err = c.ensureDeployment(ctx, cr, m)
	} else {
		// The pods stay as they are, and the status goes on telling of them.
		deployment = c.cachedDeployment(m)
	}
	outcome, problem := classify(err)
	if err != nil && problem == nil {
		return outcome, err
	}
	if err := c.writeStatus(ctx, cr, m, deployment, problem); err != nil {
		outcome, _ := classify(err)
		return outcome, err
	}
	return outcome, err
}

// classify says what an error means for the reconcile, and which problem the
// status has to report; nil if none, because the next try is likely to do better.
func classify(err error) (Outcome, *plan.Problem) {
	var notOwned *plan.NotOwnedError
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return OutcomeDone, nil
	case errors.Is(err, api.ErrInvalidSize):
		return OutcomeDone, &plan.Problem{Reason: plan.ReasonInvalidSize, Message: err.Error()}
	case errors.As(err, &notOwned):
		return OutcomeBlocked, &plan.Problem{Reason: notOwned.Reason(), Message: err.Error()}
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		// The custom resource goes with its namespace; its deletion is on the way.
		return OutcomeDone, nil
	case errors.Is(err, errOutdated), apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return OutcomeStale, nil
	case !errors.As(err, &status), apierrors.IsServerTimeout(err), apierrors.IsTimeout(err),
		apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err):
		return OutcomeError, nil
	default:
		return OutcomeError, &plan.Problem{Reason: plan.ReasonApplyFailed, Message: err.Error()}
	}
}

// memcached returns the newest known state of a custom resource, nil if there is
// none. It belongs to the cache: it is read here, and copied before it is changed.
func (c *Controller) memcached(key cache.ObjectName) (*unstructured.Unstructured, error) {
	object, found, err := c.ownMemcacheds.GetByKey(key.String())
	if err != nil {
		return nil, fmt.Errorf("look up Memcached %s in the cache: %w", key, err)
	}
	if !found {
		return nil, nil
	}
	cr, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("look up Memcached %s in the cache: found a %T", key, object)
	}
	return cr, nil
}

// cachedDeployment returns the custom resource's own Deployment as far as the
// cache knows; nil if there is none. It belongs to the cache.
func (c *Controller) cachedDeployment(m *api.Memcached) *appsv1.Deployment {
	object, found, err := c.ownDeployments.GetByKey(m.Namespace + "/" + m.Name)
	if err != nil || !found {
		return nil
	}
	deployment, ok := object.(*appsv1.Deployment)
	if !ok || plan.CheckOwner(deployment, m) != nil {
		return nil
	}
	return deployment
}

// findDeployment returns the Deployment that has the custom resource's name,
// whosoever it is; nil if there is none. What the cache lacks is asked of the API:
// the cache may be late, and it holds only what carries the operator's label, so
// that its silence does not prove that the name is free.
func (c *Controller) findDeployment(ctx context.Context, m *api.Memcached) (*appsv1.Deployment, error) {
	object, found, err := c.ownDeployments.GetByKey(m.Namespace + "/" + m.Name)
	if deployment, ok := object.(*appsv1.Deployment); err == nil && found && ok {
		return deployment, nil
	}
	deployment, err := c.clients.Apps.Deployments(m.Namespace).Get(ctx, m.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get Deployment %s/%s: %w", m.Namespace, m.Name, err)
	}
	return deployment, nil
}

// ensureDeployment makes the custom resource's Deployment what it must be and
// returns it. It writes only if the write would change something.
func (c *Controller) ensureDeployment(ctx context.Context, cr *unstructured.Unstructured, m *api.Memcached) (*appsv1.Deployment, error) {
	want := plan.Deployment(m)
	have, err := c.findDeployment(ctx, m)
	if err != nil {
		return nil, err
	}
	if have == nil {
		return c.createDeployment(ctx, cr, m, want)
	}
	if err := plan.CheckOwner(have, m); err != nil {
		return nil, err
	}
	if have.DeletionTimestamp != nil {
		// Its end is an event of its own, upon which a new one is made.
		return have, nil
	}
	drift, err := plan.Drift(want, have)
	if err != nil || len(drift) == 0 {
		return have, err
	}
	return c.repairDeployment(ctx, cr, want, have, drift)
}

// errOutdated says that the cache's custom resource is not what the API has.
var errOutdated = errors.New("the cache is behind the API")

// confirm asks the API whether the custom resource is what the cache says, and
// takes note of it if not. Watches are independent of each other: that of
// Deployments can tell that the garbage collector has taken one away before that
// of custom resources tells of the deletion which was the cause.
func (c *Controller) confirm(ctx context.Context, m *api.Memcached) error {
	is, err := c.clients.Dynamic.Resource(api.Resource()).Namespace(m.Namespace).Get(ctx, m.Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get Memcached %s/%s: %w", m.Namespace, m.Name, err)
	}
	if is.GetUID() == m.UID && is.GetGeneration() == m.Generation && is.GetDeletionTimestamp() == nil {
		return nil
	}
	c.ownMemcacheds.Mutation(is)
	return fmt.Errorf("get Memcached %s/%s: generation %d is cached, %d is there: %w", m.Namespace, m.Name, m.Generation, is.GetGeneration(), errOutdated)
}

// createDeployment applies without force: should somebody else have taken the name
// since it was looked up, the API says conflict and the next reconcile sees whose
// it is. Nothing is made for a custom resource that is there no more.
func (c *Controller) createDeployment(ctx context.Context, cr *unstructured.Unstructured, m *api.Memcached, want *appsv1ac.DeploymentApplyConfiguration) (*appsv1.Deployment, error) {
	if err := c.confirm(ctx, m); err != nil {
		return nil, err
	}
	made, err := c.apply(ctx, m.Namespace, want, false)
	if err != nil {
		return nil, err
	}
	c.event(ctx, cr, made, corev1.EventTypeNormal, "Created", "Create",
		"Created Deployment %s with %d replicas", made.Name, m.Spec.Size)
	return made, nil
}

// repairDeployment applies with force: what the operator declared is taken back
// from whoever changed it.
func (c *Controller) repairDeployment(ctx context.Context, cr *unstructured.Unstructured, want *appsv1ac.DeploymentApplyConfiguration, have *appsv1.Deployment, drift []string) (*appsv1.Deployment, error) {
	// With the UID an apply cannot bring back a Deployment that has just been
	// deleted; that is left to the reconcile which follows the deletion.
	repaired, err := c.apply(ctx, have.Namespace, want.WithUID(have.UID), true)
	if apierrors.IsInvalid(err) && slices.ContainsFunc(drift, func(path string) bool { return strings.Contains(path, ".ports[") }) {
		repaired, err = c.replacePorts(ctx, want, have)
	}
	if err != nil {
		return nil, err
	}
	c.ownDeployments.Mutation(repaired)
	if repaired.ResourceVersion == have.ResourceVersion {
		return repaired, nil
	}
	if slices.Equal(drift, []string{"spec.replicas"}) && have.Spec.Replicas != nil {
		c.event(ctx, cr, repaired, corev1.EventTypeNormal, "Scaled", "Scale",
			"Scaled Deployment %s from %d to %d replicas", have.Name, *have.Spec.Replicas, *want.Spec.Replicas)
		return repaired, nil
	}
	c.event(ctx, cr, repaired, corev1.EventTypeNormal, "Repaired", "Repair",
		"Brought Deployment %s back to what is wanted: %s", have.Name, strings.Join(drift, ", "))
	return repaired, nil
}

// replacePorts gives the container the wanted ports and no others. A port's number is the
// key of its list: an apply puts the wanted one beside one whose number somebody has
// changed, and the API refuses two of one name. Whatever else has drifted is left to the
// reconcile that follows this write.
func (c *Controller) replacePorts(ctx context.Context, want *appsv1ac.DeploymentApplyConfiguration, have *appsv1.Deployment) (*appsv1.Deployment, error) {
	container := want.Spec.Template.Spec.Containers[0]
	at := slices.IndexFunc(have.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Name == *container.Name })
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/resourceVersion", "value": have.ResourceVersion}, // what has changed since is a conflict
		{"op": "replace", "path": fmt.Sprintf("/spec/template/spec/containers/%d/ports", at), "value": container.Ports},
	})
	if err != nil {
		return nil, fmt.Errorf("encode the ports of Deployment %s/%s: %w", have.Namespace, have.Name, err)
	}
	replaced, err := c.clients.Apps.Deployments(have.Namespace).Patch(ctx, have.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: plan.Manager})
	if err != nil {
		return nil, fmt.Errorf("replace the ports of Deployment %s/%s: %w", have.Namespace, have.Name, err)
	}
	return replaced, nil
}

func (c *Controller) apply(ctx context.Context, namespace string, want *appsv1ac.DeploymentApplyConfiguration, force bool) (*appsv1.Deployment, error) {
	options := metav1.ApplyOptions{FieldManager: plan.Manager, Force: force}
	applied, err := c.clients.Apps.Deployments(namespace).Apply(ctx, want, options)
	if err != nil {
		return nil, fmt.Errorf("apply Deployment %s/%s: %w", namespace, *want.Name, err)
	}
	return applied, nil
}

// writeStatus writes the status if it changed. The write carries the resource
// version that was read, so that a status made from an outdated spec is refused.
func (c *Controller) writeStatus(ctx context.Context, cr *unstructured.Unstructured, m *api.Memcached, deployment *appsv1.Deployment, problem *plan.Problem) error {
	pods, err := c.podsOf(m)
	if err != nil {
		return err
	}
	status := plan.Status(m, deployment, pods, problem, metav1.NewTime(c.options.Clock.Now()))
	next, changed, err := api.WithStatus(cr, status)
	if err != nil || !changed {
		return err
	}
	written, err := c.clients.Dynamic.Resource(api.Resource()).Namespace(m.Namespace).
		UpdateStatus(ctx, next, metav1.UpdateOptions{FieldManager: plan.Manager})
	if apierrors.IsNotFound(err) && c.confirm(ctx, m) == nil {
		// It is there: its definition has no status subresource. An event must do.
		c.reportProblem(ctx, cr, m, problem)
		return nil
	}
	if err != nil {
		return fmt.Errorf("update the status of Memcached %s/%s: %w", m.Namespace, m.Name, err)
	}
	c.ownMemcacheds.Mutation(written)
	c.reportProblem(ctx, cr, m, problem)
	return nil
}

// reportProblem makes an event of a problem when it is new, not each time that it
// is met again. A predecessor that is about to go is no cause for warning.
func (c *Controller) reportProblem(ctx context.Context, cr *unstructured.Unstructured, m *api.Memcached, problem *plan.Problem) {
	if problem == nil || problem.Reason == plan.ReasonPredecessorDeleting {
		return
	}
	known := meta.FindStatusCondition(m.Status.Conditions, api.ConditionReady)
	if known != nil && known.Reason == problem.Reason && known.Message == problem.Message {
		return
	}
	c.event(ctx, cr, nil, corev1.EventTypeWarning, problem.Reason, "Reconcile", "%s", problem.Message)
}

// podsOf returns the pods that carry the custom resource's instance label, from
// the cache.
func (c *Controller) podsOf(m *api.Memcached) ([]*corev1.Pod, error) {
	objects, err := c.pods.GetIndexer().ByIndex(byInstance, instanceKey(m.Namespace, plan.Instance(m.Name)))
	if err != nil {
		return nil, fmt.Errorf("look up the pods of Memcached %s/%s in the cache: %w", m.Namespace, m.Name, err)
	}
	pods := make([]*corev1.Pod, 0, len(objects))
	for _, object := range objects {
		if pod, ok := object.(*corev1.Pod); ok {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// event tells the custom resource's user, and the log, what was done or what is
// wrong.
func (c *Controller) event(ctx context.Context, cr *unstructured.Unstructured, related *appsv1.Deployment, kind, reason, action, note string, args ...any) {
	klog.FromContext(ctx).Info(fmt.Sprintf(note, args...), "reason", reason, "type", kind)
	if related == nil {
		c.options.Recorder.Eventf(cr, nil, kind, reason, action, note, args...)
		return
	}
	c.options.Recorder.Eventf(cr, related, kind, reason, action, note, args...)
}
