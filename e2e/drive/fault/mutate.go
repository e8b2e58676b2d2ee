package fault

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What a policy puts into what others write.
const (
	policyMark = "operatorbench/policy" // an annotation
	sidecar    = "operatorbench-sidecar"
)

// mutate has an admission policy put an annotation into each object of a resource that is written in the custom
// resource's namespace, whoever writes it, as a service mesh does. What makes pods of a template gets one there, too,
// and a container that does nothing. It returns when a write that is only tried comes back with the annotation.
func (i *Injector) mutate(ctx context.Context, resource string, cr Target) (Broken, error) {
	what := schema.ParseGroupResource(resource)
	failed := func(err error) error {
		return fmt.Errorf("have a policy change what is written to %s in namespace %s: %w", resource, cr.Namespace, err)
	}
	try, err := i.trial(what, cr)
	if err != nil {
		return Broken{}, failed(err)
	}
	p, err := i.mutation(ctx, what, cr)
	if err != nil {
		return Broken{}, failed(err)
	}
	client := i.Kube.AdmissionregistrationV1()
	await := func(ctx context.Context, marked bool) error {
		return until(ctx, fmt.Sprintf("policy %s to be in force: %t", p.Name, marked), func(ctx context.Context) (bool, string, error) {
			tried, err := try(ctx)
			if err != nil {
				return false, "", err
			}
			_, is := tried.GetAnnotations()[policyMark]
			return is == marked, fmt.Sprintf("a write that was only tried has the annotation %s: %t", policyMark, is), nil
		})
	}
	broken := Broken{
		Objects: []string{"mutatingadmissionpolicies/" + p.Name},
		Undo: func(ctx context.Context) error {
			err := lifted("mutatingadmissionpolicy", p.Name, "changes what is written",
				client.MutatingAdmissionPolicyBindings().Delete(ctx, p.Name, metav1.DeleteOptions{}),
				client.MutatingAdmissionPolicies().Delete(ctx, p.Name, metav1.DeleteOptions{}))
			if err != nil {
				return err
			}
			return await(ctx, false)
		},
	}
	if _, err := client.MutatingAdmissionPolicies().Create(ctx, p, metav1.CreateOptions{}); err != nil {
		if apierrors.IsAlreadyExists(err) {
			return Broken{}, failed(err) // somebody else's is not removed
		}
		return broken, failed(err)
	}
	b := &admissionv1.MutatingAdmissionPolicyBinding{ObjectMeta: *p.ObjectMeta.DeepCopy(), Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: p.Name}}
	if _, err := client.MutatingAdmissionPolicyBindings().Create(ctx, b, metav1.CreateOptions{}); err != nil {
		return broken, failed(err)
	}
	if err := await(ctx, true); err != nil {
		return broken, failed(err)
	}
	return broken, nil
}

// mutation is the policy. It is this run's own, by its labels.
func (i *Injector) mutation(ctx context.Context, what schema.GroupResource, cr Target) (*admissionv1.MutatingAdmissionPolicy, error) {
	notes := fmt.Sprintf(`annotations: {%q: "put there by a policy"}`, policyMark)
	object := "Object{metadata: Object.metadata{" + notes + "}"
	if what.Group == "apps" { // its pods are made of a template
		image, err := i.idle(ctx)
		if err != nil {
			return nil, err
		}
		const pod = "Object.spec.template.spec"
		object += ", spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{" + notes + "}, " +
			"spec: " + pod + "{containers: [" + pod + ".containers{name: " + strconv.Quote(sidecar) + ", image: " + strconv.Quote(image) + "}]}}}"
	}
	fail := admissionv1.Fail
	return &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "operatorbench-" + cr.Namespace + "-" + what.String(), Labels: i.Owner.Labels()},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			FailurePolicy: &fail, ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			MatchConstraints: inNamespace(cr.Namespace, admissionv1.Rule{APIGroups: []string{what.Group}, APIVersions: []string{"*"}, Resources: []string{what.Resource}},
				admissionv1.Create, admissionv1.Update),
			Mutations: []admissionv1.Mutation{{
				PatchType: admissionv1.PatchTypeApplyConfiguration, ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: object + "}"},
			}},
		},
	}, nil
}

// inNamespace matches some operations on resources in one namespace.
func inNamespace(namespace string, rule admissionv1.Rule, operations ...admissionv1.OperationType) *admissionv1.MatchResources {
	return &admissionv1.MatchResources{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
		ResourceRules:     []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{Operations: operations, Rule: rule}}},
	}
}

// idle is an image that nodes have, whose program does nothing: that in which pods' namespaces are held.
func (i *Injector) idle(ctx context.Context) (string, error) {
	nodes, err := i.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list the nodes, and the images that they have: %w", err)
	}
	for n := range nodes.Items {
		for _, image := range nodes.Items[n].Status.Images {
			for _, name := range image.Names {
				if strings.Contains(name, "/pause:") {
					return name, nil
				}
			}
		}
	}
	return "", fmt.Errorf("none of %d nodes says that it has an image of a program that does nothing (…/pause:…)", len(nodes.Items))
}
