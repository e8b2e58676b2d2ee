package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
)

// refuse makes an admission policy refuse every write to a resource in the custom
// resource's namespace, and returns when it does.
func (i *Injector) refuse(ctx context.Context, resource string, cr Target) (Broken, error) {
	return i.refuseThat(ctx, resource, cr, "true", "writes", admissionv1.Create, admissionv1.Update, admissionv1.Delete)
}

// refuseUpdates does so with updates alone. A creation that is only tried shows that the policy is in force.
func (i *Injector) refuseUpdates(ctx context.Context, resource string, cr Target) (Broken, error) {
	return i.refuseThat(ctx, resource, cr, `request.operation == "UPDATE" || request.name == "`+probe+`"`, "updates", admissionv1.Create, admissionv1.Update)
}

// refuseThat refuses the operations on a resource that an expression in CEL holds for.
//
// Two are let through: the harness, so that a scenario can go on, but for its dry runs, by which it finds out whether
// the policy is in force; and the cluster's own parts. Without those nothing ends that was begun: the garbage collector
// and the namespace controller delete, the controllers of workloads and the kubelets write the status.
func (i *Injector) refuseThat(ctx context.Context, resource string, cr Target, which, named string, operations ...admissionv1.OperationType) (Broken, error) {
	what := schema.ParseGroupResource(resource)
	failed := func(err error) error {
		return fmt.Errorf("refuse %s of %s in namespace %s: %w", named, resource, cr.Namespace, err)
	}
	p, err := i.policy(ctx, what, cr, operations...)
	if err != nil {
		return Broken{}, failed(err)
	}
	p.Spec.MatchConditions = append(p.Spec.MatchConditions, admissionv1.MatchCondition{Name: "refused", Expression: which})
	p.Spec.Validations[0].Message = fmt.Sprintf("%s of %s in namespace %s are refused on purpose, for a while (operatorbench run %s)", named, what, cr.Namespace, i.Owner.Run)
	try, err := i.trial(what, cr)
	if err != nil {
		return Broken{}, failed(err)
	}
	broken := Broken{
		Objects: []string{"validatingadmissionpolicies/" + p.Name},
		Undo:    func(ctx context.Context) error { return i.admit(ctx, p.Name, try) },
	}
	if _, err := i.Kube.AdmissionregistrationV1().ValidatingAdmissionPolicies().Create(ctx, p, metav1.CreateOptions{}); err != nil {
		if apierrors.IsAlreadyExists(err) {
			return Broken{}, failed(fmt.Errorf("they are refused already: %w", err))
		}
		return broken, failed(err)
	}
	b := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name, Labels: p.Labels},
		Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: p.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
	}
	if _, err := i.Kube.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Create(ctx, b, metav1.CreateOptions{}); err != nil {
		return broken, failed(err)
	}
	err = until(ctx, "policy "+p.Name+" to be in force", func(ctx context.Context) (bool, string, error) {
		_, err := try(ctx)
		return refused(err, p.Name), seen(err), nil
	})
	return broken, err
}

// policy is what refuses writes. It is this run's own, by its labels.
func (i *Injector) policy(ctx context.Context, what schema.GroupResource, cr Target, operations ...admissionv1.OperationType) (*admissionv1.ValidatingAdmissionPolicy, error) {
	others, err := i.others(ctx)
	if err != nil {
		return nil, err
	}
	fail, forbidden := admissionv1.Fail, metav1.StatusReasonForbidden
	return &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "operatorbench-" + cr.Namespace + "-" + what.String(), Labels: i.Owner.Labels()},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: inNamespace(cr.Namespace, admissionv1.Rule{
				APIGroups: []string{what.Group}, APIVersions: []string{"*"}, Resources: []string{what.Resource, what.Resource + "/*"},
			}, operations...),
			MatchConditions: others,
			Validations:     []admissionv1.Validation{{Expression: "false", Reason: &forbidden}},
		},
	}, nil
}

// others hold for the requests of all but the harness, whose dry runs count, and the cluster's own parts.
func (i *Injector) others(ctx context.Context) ([]admissionv1.MatchCondition, error) {
	self, err := i.Kube.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("ask the cluster who the harness is: %w", err)
	}
	installed, err := i.Installed(ctx)
	if err != nil {
		return nil, err
	}
	return []admissionv1.MatchCondition{
		{Name: "not-the-harness", Expression: "request.userInfo.username != " + strconv.Quote(self.Status.UserInfo.Username) + " || (has(request.dryRun) && request.dryRun)"},
		{Name: "not-the-cluster-itself", Expression: "!(" + clusterItself + ") || request.userInfo.username in " + accounts(installed)},
	}, nil
}

// clusterItself holds for the control plane, its controllers and the kubelets. The
// API server's own writes, and kubeadm's controllers, are told by these names.
const clusterItself = `request.userInfo.username.startsWith("system:kube-") || request.userInfo.username == "system:apiserver"` +
	` || (has(request.userInfo.groups) && request.userInfo.groups.exists(g, g == "system:nodes" || g == "system:serviceaccounts:kube-system"))`

// accounts are the service accounts among what is installed, as a list of CEL: a style may be
// installed where the cluster's own parts are.
func accounts(installed []*unstructured.Unstructured) string {
	var names []string
	for _, obj := range installed {
		if obj.GetKind() == "ServiceAccount" {
			names = append(names, strconv.Quote("system:serviceaccount:"+obj.GetNamespace()+":"+obj.GetName()))
		}
	}
	slices.Sort(names)
	return "[" + strings.Join(names, ", ") + "]"
}

// admit removes the policy, and returns when writes pass again.
func (i *Injector) admit(ctx context.Context, name string, try attempt) error {
	client := i.Kube.AdmissionregistrationV1()
	err := lifted("validatingadmissionpolicy", name, "refuses writes",
		client.ValidatingAdmissionPolicyBindings().Delete(ctx, name, metav1.DeleteOptions{}),
		client.ValidatingAdmissionPolicies().Delete(ctx, name, metav1.DeleteOptions{}))
	if err != nil {
		return err
	}
	return until(ctx, "policy "+name+" to refuse nothing any more", func(ctx context.Context) (bool, string, error) {
		_, err := try(ctx)
		var status apierrors.APIStatus
		answered := err == nil || errors.As(err, &status)
		return answered && !refused(err, name), seen(err), nil
	})
}

// lifted says whether a policy is gone by how its binding and itself were deleted; what is not there need not be.
func lifted(kind, name, does string, deleted ...error) error {
	problems := plain.Where(deleted, func(err error) bool { return err != nil && !apierrors.IsNotFound(err) })
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("policy %s still %s: delete it: %w; by hand: kubectl delete %sbinding,%s %s", name, does, errors.Join(problems...), kind, kind, name)
}

// refused reports whether it was the policy that refused a write.
func refused(err error, policy string) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), policy)
}

func seen(err error) string {
	if err == nil {
		return "a write that was only tried has passed"
	}
	return err.Error()
}

// probe is the name of objects that are only tried.
const probe = "operatorbench-probe"

// attempt is a write that is tried, and changes nothing: it returns what would be there.
type attempt func(context.Context) (*unstructured.Unstructured, error)

// trial returns an attempt to create an object of a resource.
func (i *Injector) trial(what schema.GroupResource, cr Target) (attempt, error) {
	mapper, err := i.mapper()
	if err != nil {
		return nil, err
	}
	kind, err := mapper.KindFor(what.WithVersion("")) // by the version that the cluster prefers
	if err != nil {
		return nil, fmt.Errorf("the cluster serves no %s: %w", what, err)
	}
	served, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if served.Scope.Name() == meta.RESTScopeNameRoot {
		return nil, fmt.Errorf("%s live in no namespace", what)
	}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	pod := map[string]any{"containers": []any{map[string]any{"name": probe, "image": probe}}}
	switch { // what is not valid is refused before the policy is asked
	case what == i.Workload.GVR().GroupResource():
		object = i.Workload.New(cr.Namespace, probe, i.Workload.Smallest())
	case what == workloads.GVR(spec.Pods).GroupResource():
		object.Object["spec"] = pod
	case what.Group == "apps":
		labels := map[string]any{"app": probe}
		object.Object["spec"] = map[string]any{
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pod},
		}
	}
	object.SetGroupVersionKind(kind)
	object.SetName(probe)
	return func(ctx context.Context) (*unstructured.Unstructured, error) {
		return i.Dynamic.Resource(served.Resource).Namespace(cr.Namespace).Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	}, nil
}
