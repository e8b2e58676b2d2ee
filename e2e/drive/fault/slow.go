package fault

import (
	"context"
	"fmt"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// slowBy is how long a write waits: a webhook's default timeout is ten seconds, and a look has lookWithin.
const slowBy = 4 * time.Second

// nowhere is an address that is kept for documentation (RFC 5737), and to which the node lets nothing out.
const nowhere = "192.0.2.1"

// slow has writes to a resource in the custom resource's namespace wait for an admission webhook that never answers, and
// then pass, as its failure is ignored. It returns when a write that is only tried has waited. Who is let through is as
// with refuse.
func (i *Injector) slow(ctx context.Context, resource string, cr Target) (Broken, error) {
	what := schema.ParseGroupResource(resource)
	failed := func(err error) error {
		return fmt.Errorf("slow down writes to %s in namespace %s: %w", resource, cr.Namespace, err)
	}
	if _, err := i.onlyNode(ctx); err != nil {
		return Broken{}, failed(err)
	}
	try, err := i.trial(what, cr)
	if err != nil {
		return Broken{}, failed(err)
	}
	hook, err := i.silentHook(ctx, what, cr)
	if err != nil {
		return Broken{}, failed(err)
	}
	lost := filter{peer{pod: nowhere}, []string{"OUTPUT", "-d", nowhere, "-m", "comment", "--comment", hook.Name, "-j", "DROP"}}
	client := i.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	await := func(ctx context.Context, slow bool) error {
		return until(ctx, fmt.Sprintf("webhook %s to hold writes up: %t", hook.Name, slow), func(ctx context.Context) (bool, string, error) {
			began := time.Now()
			_, err := try(ctx)
			took := time.Since(began)
			return took >= slowBy == slow, fmt.Sprintf("a write that was only tried took %v", took.Round(time.Millisecond)), err
		})
	}
	var taken steps
	broken := Broken{
		Objects: []string{"validatingwebhookconfigurations/" + hook.Name},
		Undo:    func(ctx context.Context) error { return taken.undo(ctx) },
	}
	taken = append(taken, func(ctx context.Context) error { return i.firewall(ctx, "-D", lost) })
	if err := i.firewall(ctx, "-I", lost); err != nil {
		return broken, failed(err)
	}
	_, err = client.Create(ctx, hook, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return broken, failed(err) // somebody else's is not removed
	}
	taken = append(taken, func(ctx context.Context) error {
		if err := client.Delete(ctx, hook.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("webhook %s still holds writes up: delete it: %w; by hand: kubectl delete validatingwebhookconfiguration %[1]s", hook.Name, err)
		}
		return await(ctx, false)
	})
	if err == nil { // else it may have been made all the same
		err = await(ctx, true)
	}
	if err != nil {
		return broken, failed(err)
	}
	return broken, nil
}

// silentHook is the webhook. It is this run's own, by its labels.
func (i *Injector) silentHook(ctx context.Context, what schema.GroupResource, cr Target) (*admissionv1.ValidatingWebhookConfiguration, error) {
	others, err := i.others(ctx)
	if err != nil {
		return nil, err
	}
	url, ignore, none := "https://"+nowhere+"/", admissionv1.Ignore, admissionv1.SideEffectClassNone
	seconds := int32(slowBy / time.Second)
	match := inNamespace(cr.Namespace, admissionv1.Rule{APIGroups: []string{what.Group}, APIVersions: []string{"*"}, Resources: []string{what.Resource}},
		admissionv1.Create, admissionv1.Update, admissionv1.Delete)
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "operatorbench-" + cr.Namespace + "-" + what.String(), Labels: i.Owner.Labels()},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "slow.operatorbench.example.com", ClientConfig: admissionv1.WebhookClientConfig{URL: &url},
			FailurePolicy: &ignore, SideEffects: &none, TimeoutSeconds: &seconds, AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector: match.NamespaceSelector, MatchConditions: others,
			Rules: []admissionv1.RuleWithOperations{match.ResourceRules[0].RuleWithOperations},
		}},
	}, nil
}
