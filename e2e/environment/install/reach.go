package install

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"operatorbench/e2e/environment/kube"
)

// Reach says, a sentence each, in what objects reach beyond namespaces of their own and pods that the baseline standard
// allows: what a person wants to know of a stranger's before it is installed. It knows what is rendered, and not what a
// controller makes of it later.
func Reach(objs []*unstructured.Unstructured) ([]string, error) {
	all := foreignNamespaces(objs)
	for _, obj := range objs {
		forbidden, err := Forbidden(obj, string(api.LevelBaseline))
		if err != nil {
			return nil, err
		}
		for _, what := range forbidden {
			all = append(all, fmt.Sprintf("pods of %s are beyond the baseline standard: %s", kube.Describe(obj), what))
		}
		if slices.Contains(admits(), obj.GetKind()) {
			all = append(all, fmt.Sprintf("%s decides on what everybody in the cluster writes or reads", kube.Describe(obj)))
		}
		if obj.GetKind() == "ClusterRole" {
			for label := range obj.GetLabels() {
				if to, aggregated := strings.CutPrefix(label, "rbac.authorization.k8s.io/aggregate-to-"); aggregated {
					all = append(all, fmt.Sprintf("%s adds to the cluster's own role %s", kube.Describe(obj), to))
				}
			}
		}
	}
	bound, err := boundWidely(objs)
	all = append(all, bound...)
	slices.Sort(all)
	return slices.Compact(all), err
}

// Forbidden says why a pod security level forbids pods of an object, a text for each that it forbids.
func Forbidden(obj *unstructured.Unstructured, level string) ([]string, error) {
	parsed, err := api.ParseLevel(level)
	if err != nil {
		return nil, err
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return nil, fmt.Errorf("read the pod security standards: %w", err)
	}
	var all []string
	for _, pod := range PodsIn(obj.Object) {
		checked := policy.AggregateCheckResults(evaluator.EvaluatePod(api.LevelVersion{Level: parsed, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec))
		if !checked.Allowed {
			all = append(all, checked.ForbiddenDetail())
		}
	}
	return all, nil
}

// admits are kinds of objects that the API server asks about requests that are not theirs.
func admits() []string {
	return []string{
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding", "APIService",
	}
}

// foreignNamespaces tells of those in which there are objects and which are not among them.
func foreignNamespaces(objs []*unstructured.Unstructured) []string {
	in, made := map[string]int{}, map[string]bool{}
	for _, obj := range objs {
		if kube.IsNamespace(obj) {
			made[obj.GetName()] = true
		} else if obj.GetNamespace() != "" {
			in[obj.GetNamespace()]++
		}
	}
	var all []string
	for name, n := range in {
		switch {
		case strings.HasPrefix(name, "kube-"):
			all = append(all, fmt.Sprintf("%d of its objects are in %s, which is the cluster's own", n, name))
		case !made[name]:
			all = append(all, fmt.Sprintf("%d of its objects are in the namespace %s, which it does not make", n, name))
		}
	}
	for name := range made {
		if strings.HasPrefix(name, "kube-") || name == metav1.NamespaceDefault {
			all = append(all, fmt.Sprintf("it changes the namespace %s, which every cluster has", name))
		}
	}
	return all
}

// PodsIn finds the pods that an object is, or is a template of, at any depth.
func PodsIn(value any) []corev1.Pod {
	var found []corev1.Pod
	for object := range kube.Maps(value) {
		spec, _ := object["spec"].(map[string]any)
		if _, is := spec["containers"].([]any); !is {
			continue
		}
		var pod corev1.Pod
		if runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"metadata": object["metadata"], "spec": spec}, &pod) == nil {
			found = append(found, pod)
		}
	}
	return found
}

// boundWidely tells of the bindings by which somebody who is no service account gets a role, and of rights with a
// wildcard.
func boundWidely(objs []*unstructured.Unstructured) ([]string, error) {
	var all []string
	for _, obj := range objs {
		if obj.GroupVersionKind().Group != rbacv1.GroupName || !strings.HasSuffix(obj.GetKind(), "RoleBinding") {
			continue
		}
		var b rbacv1.RoleBinding // but for their kind, they are alike
		if err := convert(obj, &b); err != nil {
			return nil, err
		}
		for _, subject := range b.Subjects {
			if subject.Kind != rbacv1.ServiceAccountKind {
				all = append(all, fmt.Sprintf("%s gives %s to the %s %s", kube.Describe(obj), nameOf(b), strings.ToLower(subject.Kind), subject.Name))
			}
		}
	}
	held, err := RightsOf(objs)
	if err != nil {
		return nil, err
	}
	type right struct{ account, verb, where, role string }
	wild := map[right][]string{} // on what
	for _, grant := range held.Grants {
		where := "the whole cluster"
		if grant.Namespace != "" {
			where = "the namespace " + grant.Namespace
		}
		for _, one := range grant.Rights() {
			if one.Wild() {
				key := right{grant.ServiceAccount, one.Verb, where, grant.Role}
				wild[key] = append(wild[key], one.Object())
			}
		}
	}
	for r, objects := range wild {
		slices.Sort(objects)
		all = append(all, fmt.Sprintf("%s may %s %s in %s, by %s", r.account, r.verb, strings.Join(slices.Compact(objects), ", "), r.where, r.role))
	}
	for _, role := range held.Unknown {
		all = append(all, fmt.Sprintf("it binds %s, which it does not bring: what that allows, the cluster knows", role))
	}
	return all, nil
}
