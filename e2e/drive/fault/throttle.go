package fault

import (
	"context"
	"errors"
	"fmt"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// throttle makes the API server answer the requests of the style's service accounts with 429: a FlowSchema gives them a
// priority level without seats that rejects what it cannot serve.
func (i *Injector) throttle(ctx context.Context, _ string, cr Target) (Broken, error) {
	installed, err := i.Installed(ctx)
	if err != nil {
		return Broken{}, fmt.Errorf("throttle the operator: %w", err)
	}
	subjects := subjectsOf(installed)
	if len(subjects) == 0 {
		return Broken{}, fmt.Errorf("throttle the operator: style %s installs no service account", i.Style.Name)
	}
	meta := metav1.ObjectMeta{Name: "operatorbench-" + cr.Namespace, Labels: i.Owner.Labels()}
	none := int32(0)
	level := &flowcontrol.PriorityLevelConfiguration{ObjectMeta: meta, Spec: flowcontrol.PriorityLevelConfigurationSpec{
		Type: flowcontrol.PriorityLevelEnablementLimited,
		Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: &none, LendablePercent: &none, BorrowingLimitPercent: &none,
			LimitResponse: flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject},
		},
	}}
	every := []string{flowcontrol.APIGroupAll}
	flow := &flowcontrol.FlowSchema{ObjectMeta: meta, Spec: flowcontrol.FlowSchemaSpec{
		PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: meta.Name},
		MatchingPrecedence:         2, // 1 is the API server's own
		Rules: []flowcontrol.PolicyRulesWithSubjects{{
			Subjects: subjects,
			ResourceRules: []flowcontrol.ResourcePolicyRule{{
				Verbs: every, APIGroups: every, Resources: every, ClusterScope: true, Namespaces: []string{flowcontrol.NamespaceEvery},
			}},
		}},
	}}
	broken := Broken{
		Objects: []string{"flowschemas/" + meta.Name, "prioritylevelconfigurations/" + meta.Name},
		Undo:    func(ctx context.Context) error { return i.unthrottle(ctx, meta.Name) },
	}
	client := i.Kube.FlowcontrolV1()
	if _, err := client.PriorityLevelConfigurations().Create(ctx, level, metav1.CreateOptions{}); err != nil {
		return broken, fmt.Errorf("throttle the operator: %w", err)
	}
	if _, err := client.FlowSchemas().Create(ctx, flow, metav1.CreateOptions{}); err != nil {
		return broken, fmt.Errorf("throttle the operator: %w", err)
	}
	return broken, i.awaitThrottled(ctx, meta.Name)
}

// awaitThrottled returns when the API server has taken the FlowSchema into its configuration: its condition Dangling, which
// the API server writes, says whether it has found the priority level.
func (i *Injector) awaitThrottled(ctx context.Context, name string) error {
	err := until(ctx, "FlowSchema "+name+" to be in force (its condition Dangling to be False)", func(ctx context.Context) (bool, string, error) {
		flow, err := i.Kube.FlowcontrolV1().FlowSchemas().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		for _, c := range flow.Status.Conditions {
			if c.Type == flowcontrol.FlowSchemaConditionDangling {
				return c.Status == flowcontrol.ConditionFalse, fmt.Sprintf("Dangling %s: %s", c.Status, c.Message), nil
			}
		}
		return false, "it has no condition Dangling", nil
	})
	if err != nil {
		return fmt.Errorf("throttle the operator: %w", err)
	}
	return nil
}

// unthrottle removes the FlowSchema and its priority level.
func (i *Injector) unthrottle(ctx context.Context, name string) error {
	client := i.Kube.FlowcontrolV1()
	var problems []error
	for _, err := range []error{
		client.FlowSchemas().Delete(ctx, name, metav1.DeleteOptions{}),
		client.PriorityLevelConfigurations().Delete(ctx, name, metav1.DeleteOptions{}),
	} {
		if err != nil && !apierrors.IsNotFound(err) {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("the operator is still throttled: delete what does it: %w; by hand: kubectl delete flowschema,prioritylevelconfiguration %s", errors.Join(problems...), name)
	}
	return nil
}

// subjectsOf are the service accounts among what is installed.
func subjectsOf(installed []*unstructured.Unstructured) []flowcontrol.Subject {
	var list []flowcontrol.Subject
	for _, obj := range installed {
		if obj.GetKind() == "ServiceAccount" {
			list = append(list, flowcontrol.Subject{
				Kind: flowcontrol.SubjectKindServiceAccount, ServiceAccount: &flowcontrol.ServiceAccountSubject{Namespace: obj.GetNamespace(), Name: obj.GetName()},
			})
		}
	}
	return list
}
