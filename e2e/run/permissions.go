package run

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
	"operatorbench/e2e/timeline"
)

// account is the name of the account that has a run's rights, and of its namespace.
const account = "operatorbench"

// need are rights that a run must have on an existing cluster.
type need struct {
	resources map[schema.GroupResource]map[string]bool // verbs of each
	// operators are the rules of the operators' own roles: who gives a right must hold it, unless it may escalate.
	operators []rbacv1.PolicyRule
}

// may adds verbs, separated by spaces, on resources of a group.
func (n *need) may(verbs, group string, resources ...string) {
	for _, resource := range resources {
		at := schema.GroupResource{Group: group, Resource: resource}
		if n.resources[at] == nil {
			n.resources[at] = map[string]bool{}
		}
		for _, verb := range strings.Fields(verbs) {
			n.resources[at][verb] = true
		}
	}
}

// What a run does with objects: with those that it makes, with those that it changes, and with those that it only sees.
const (
	makes   = "get list watch create patch update delete"
	watches = "list watch"
)

// need is what this run needs on an existing cluster, whatever its namespaces will be called.
func (j *job) need() (*need, error) {
	n := &need{resources: map[schema.GroupResource]map[string]bool{}}
	n.may(makes, "", "namespaces")
	n.may("update", "", "namespaces/finalize")
	n.may(makes, "apiextensions.k8s.io", "customresourcedefinitions")
	n.may(watches+" get delete", "", "pods")
	n.may("get", "", "pods/log")
	n.may("get list create delete", "", "configmaps") // the proof that the garbage collector knows the custom resource
	n.may(watches, "events.k8s.io", "events")
	n.may(watches+" get delete", "apps", "deployments", "statefulsets", "daemonsets", "replicasets")
	n.may(watches+" get delete", "batch", "jobs")
	n.may("get list", "", "serviceaccounts", "nodes")
	n.may("get list", rbacv1.GroupName, "roles", "rolebindings", "clusterroles", "clusterrolebindings")
	custom := j.workload.GVR()
	n.may(makes, custom.Group, custom.Resource)
	n.may("get update", custom.Group, custom.Resource+"/scale")
	for _, child := range j.workload.Children {
		of := workloads.GVR(child.Resource)
		n.may(makes, of.Group, of.Resource)
	}
	if j.workload.Probe != nil {
		n.may("create", "", "pods/portforward")
	}
	for _, scenario := range j.scenarios {
		n.scenario(scenario)
	}
	if slices.ContainsFunc(j.operated(), func(p *participant) bool { return len(p.operator.MetricsPorts()) > 0 }) &&
		slices.ContainsFunc(j.scenarios, func(s scenarios.Scenario) bool { return slices.Contains(s.Expect, timeline.Growth) }) {
		n.may("get", "", "pods/proxy")
	}
	for _, p := range j.operated() {
		style := p.operator
		objects, err := style.Objects()
		if err == nil {
			err = n.objects(objects)
		}
		if err != nil {
			return nil, fmt.Errorf("what a run of %s needs: %w", style.Name, err)
		}
		for _, work := range style.Work {
			of := workloads.GVR(work.Resource)
			n.may(watches+" get patch", of.Group, of.Resource)
		}
		for _, phase := range style.Phases {
			of := workloads.GVR(phase.Resource)
			n.may(watches, of.Group, of.Resource)
		}
	}
	return n, nil
}

// scenario adds what its faults and its load need.
func (n *need) scenario(s scenarios.Scenario) {
	if s.Load != nil {
		n.may("create", "", "limitranges")
		if growth := s.Load.Growth; growth != nil {
			if growth.Down > 0 {
				n.may("get patch", "apps", "deployments", "statefulsets", "daemonsets")
			}
			for _, kind := range growth.Bystanders.Kinds {
				of := drive.BystanderResource(kind)
				n.may("create", of.Group, of.Resource)
			}
		}
	}
	if spec.InMatrix(s.Group) {
		n.may("create", "", "secrets") // the value that no log may show
	}
	for _, f := range s.Faults() {
		switch f.Kind {
		case spec.FaultStop, spec.FaultUpgrade, spec.FaultUpgrading, spec.FaultDeleteOwn, spec.FaultScaleOwn, spec.FaultDouble:
			n.may("get create patch delete", "apps", "deployments", "statefulsets", "daemonsets")
			n.may("patch", "", "pods") // which of two goes first
		case spec.FaultForbid, spec.FaultForbidRead:
			n.may("update", rbacv1.GroupName, "roles", "clusterroles")
			n.may("create", authorizationv1.GroupName, "subjectaccessreviews")
		case spec.FaultRefuse, spec.FaultRefuseUpdates:
			n.may(makes, "admissionregistration.k8s.io", "validatingadmissionpolicies", "validatingadmissionpolicybindings")
		case spec.FaultMutate:
			n.may(makes, "admissionregistration.k8s.io", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings")
		}
	}
}

// objects adds what it takes to install and remove an operator.
func (n *need) objects(objects []*unstructured.Unstructured) error {
	plurals, own := map[schema.GroupKind]string{}, map[string]bool{}
	for _, o := range objects {
		if o.GetKind() == "CustomResourceDefinition" {
			kind := kube.Defines(o)
			plurals[kind], _, _ = unstructured.NestedString(o.Object, "spec", "names", "plural")
			n.may(makes, kind.Group, plurals[kind])
		}
		own[o.GetKind()+"/"+o.GetName()] = true
	}
	for _, o := range objects {
		kind := o.GroupVersionKind()
		plural := plurals[kind.GroupKind()]
		if plural == "" {
			guessed, _ := meta.UnsafeGuessKindToResource(kind)
			plural = guessed.Resource
		}
		n.may(makes, kind.Group, plural)
		switch kind.GroupKind().String() {
		case "ClusterRole.rbac.authorization.k8s.io", "Role.rbac.authorization.k8s.io":
			var role rbacv1.ClusterRole // a Role has the same rules
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &role); err != nil {
				return fmt.Errorf("read %s %s: %w", o.GetKind(), o.GetName(), err)
			}
			n.operators = append(n.operators, role.Rules...)
			for _, rule := range role.Rules { // whether it left anything is looked at
				for _, group := range rule.APIGroups {
					for _, resource := range rule.Resources {
						if !strings.ContainsAny(resource, "*/") {
							n.may("list", group, resource)
						}
					}
				}
			}
		case "ClusterRoleBinding.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io":
			of, _, _ := unstructured.NestedString(o.Object, "roleRef", "kind")
			name, _, _ := unstructured.NestedString(o.Object, "roleRef", "name")
			if !own[of+"/"+name] { // somebody else's, whose rights are not known here
				resource, _ := meta.UnsafeGuessKindToResource(kind.GroupVersion().WithKind(of))
				n.operators = append(n.operators, rbacv1.PolicyRule{APIGroups: []string{kind.Group}, Resources: []string{resource.Resource}, ResourceNames: []string{name}, Verbs: []string{"bind"}})
			}
		}
	}
	return nil
}

// rules are those of a role that holds the rights, resources of the same verbs together.
func (n *need) rules() []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, at := range slices.SortedFunc(maps.Keys(n.resources), func(a, b schema.GroupResource) int {
		return strings.Compare(a.Group+"/"+a.Resource, b.Group+"/"+b.Resource)
	}) {
		verbs := slices.Sorted(maps.Keys(n.resources[at]))
		if last := len(rules) - 1; last >= 0 && rules[last].APIGroups[0] == at.Group && slices.Equal(rules[last].Verbs, verbs) {
			rules[last].Resources = append(rules[last].Resources, at.Resource)
			continue
		}
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{at.Group}, Resources: []string{at.Resource}, Verbs: verbs})
	}
	return rules
}

// Permissions writes the manifest of an account that has the rights that a run needs on an existing cluster.
func Permissions(options Options, root string, out io.Writer) error {
	options.Cluster, options.Kubeconfig = "existing", "named later"
	s, err := Load(context.Background(), options, root, time.Time{}, io.Discard)
	if err != nil {
		return err
	}
	n, err := s.need()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, permissionsHead, strings.Join(s.Styles(), ", "), s.options.scenario()); err != nil {
		return err
	}
	rules := append(n.rules(), rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes/proxy"}, Verbs: []string{"get"}}) // CPU time and memory
	group, named := rbacv1.SchemeGroupVersion.String(), map[string]any{"name": account}
	for _, one := range []map[string]any{
		{"apiVersion": "v1", "kind": "Namespace", "metadata": named},
		{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": account, "namespace": account}},
		{"apiVersion": group, "kind": "ClusterRole", "metadata": named, "rules": slices.Concat(rules, n.operators)},
		{
			"apiVersion": group, "kind": "ClusterRoleBinding", "metadata": named, "roleRef": rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: account},
			"subjects": []rbacv1.Subject{{Kind: "ServiceAccount", Name: account, Namespace: account}},
		},
	} {
		text, err := yaml.Marshal(one)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

const permissionsHead = `# What a run of %s (--scenario=%s) needs on an existing cluster: rights on what it makes, watches and removes, and
# those that the operators' own roles have, since nobody may give a right that he does not hold. Without nodes/proxy, CPU time and memory are not measured.
# kubectl apply -f this file; kubectl create token -n operatorbench operatorbench --duration=4h makes the token for the kubeconfig.
`

// permitted refuses an existing cluster in which the run's account lacks a right that the run needs. Nothing has been
// made by then.
func (e *environment) permitted(ctx context.Context) error {
	if e.existing() == nil {
		return nil
	}
	n, err := e.need()
	if err != nil {
		return err
	}
	rules := n.rules()
	escalates, err := lackedRights(ctx, e.kube.Typed, []rbacv1.PolicyRule{{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles", "roles"}, Verbs: []string{"escalate", "bind"}}})
	if err != nil {
		return err
	}
	if len(escalates) > 0 {
		rules = append(rules, n.operators...)
	}
	lacked, err := lackedRights(ctx, e.kube.Typed, rules)
	if err != nil || len(lacked) == 0 {
		return err
	}
	who := "the account of the kubeconfig"
	if self, err := e.kube.Typed.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}); err == nil {
		who = self.Status.UserInfo.Username
	}
	return fmt.Errorf("%s may not %s, which this run needs: nothing was made; `%s permissions` with the run's --operator and --scenario prints the manifest of an account that may", who, plain.Some(lacked, mostNamed), e.options.program())
}

// lackedRights asks the cluster which rights of some rules the account that asks lacks in all namespaces.
func lackedRights(ctx context.Context, client kubernetes.Interface, rules []rbacv1.PolicyRule) ([]string, error) {
	asked, lacked := map[authorizationv1.ResourceAttributes]bool{}, []string{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	ask := func(attributes authorizationv1.ResourceAttributes) {
		if asked[attributes] {
			return
		}
		asked[attributes] = true
		group.Go(func() error {
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &attributes}}
			answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("ask the cluster what the run may do: %w", err)
			}
			if !answer.Status.Allowed {
				what := schema.GroupResource{Group: attributes.Group, Resource: attributes.Resource}.String()
				if attributes.Subresource != "" {
					what += "/" + attributes.Subresource
				}
				mu.Lock()
				defer mu.Unlock()
				lacked = append(lacked, strings.TrimSpace(attributes.Verb+" "+what+" "+attributes.Name))
			}
			return nil
		})
	}
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, at := range rule.APIGroups {
			for _, resource := range rule.Resources {
				resource, sub, _ := strings.Cut(resource, "/")
				for _, verb := range rule.Verbs {
					for _, name := range names {
						ask(authorizationv1.ResourceAttributes{Group: at, Resource: resource, Subresource: sub, Verb: verb, Name: name})
					}
				}
			}
		}
	}
	err := group.Wait()
	slices.Sort(lacked)
	return lacked, err
}
