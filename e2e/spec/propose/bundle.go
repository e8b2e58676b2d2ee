package propose

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// IsBundle reports whether an object says how the Operator Lifecycle Manager installs an operator.
func IsBundle(o *unstructured.Unstructured) bool {
	return o.GetKind() == "ClusterServiceVersion" && o.GroupVersionKind().Group == "operators.coreos.com"
}

// granted is what a ClusterServiceVersion grants an account.
type granted struct {
	ServiceAccountName string
	Rules              []rbacv1.PolicyRule
}

// unbundled are the objects that the Operator Lifecycle Manager would make of a ClusterServiceVersion: a namespace, accounts with
// their rights, and Deployments. Webhooks, for which it makes certificates, are left out.
func unbundled(csv *unstructured.Unstructured) (objects []*unstructured.Unstructured, namespace string, err error) {
	var of struct {
		Spec struct {
			Install struct {
				Spec struct {
					Deployments []struct {
						Name string
						Spec appsv1.DeploymentSpec
					}
					ClusterPermissions, Permissions []granted
				}
			}
		}
	}
	text, err := csv.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil {
		return nil, "", fmt.Errorf("read ClusterServiceVersion %s: %w", csv.GetName(), err)
	}
	name, _, _ := strings.Cut(csv.GetName(), ".")
	namespace = cmp.Or(csv.GetAnnotations()["operatorframework.io/suggested-namespace"], name+"-system")
	install := of.Spec.Install.Spec
	add := func(version, kind, name string, typed runtime.Object) {
		fields, failed := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
		if failed != nil {
			err = failed
			return
		}
		delete(fields, "status")
		one := &unstructured.Unstructured{Object: fields}
		one.SetAPIVersion(version)
		one.SetKind(kind)
		one.SetName(name)
		if !slices.Contains([]string{"Namespace", "ClusterRole", "ClusterRoleBinding"}, kind) {
			one.SetNamespace(namespace)
		}
		objects = append(objects, one)
	}
	add("v1", "Namespace", namespace, &corev1.Namespace{})
	var accounts []string
	for _, d := range install.Deployments {
		accounts = append(accounts, cmp.Or(d.Spec.Template.Spec.ServiceAccountName, "default"))
	}
	rbac := rbacv1.SchemeGroupVersion.String()
	grant := func(kind string, list []granted) {
		for i, p := range list {
			accounts = append(accounts, p.ServiceAccountName)
			called := fmt.Sprintf("%s-%s-%d", name, p.ServiceAccountName, i)
			add(rbac, kind, called, &rbacv1.ClusterRole{Rules: p.Rules})
			add(rbac, kind+"Binding", called, &rbacv1.ClusterRoleBinding{
				Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: p.ServiceAccountName, Namespace: namespace}},
				RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: called},
			})
		}
	}
	grant("ClusterRole", install.ClusterPermissions)
	grant("Role", install.Permissions)
	slices.Sort(accounts)
	for _, account := range slices.Compact(accounts) {
		if account != "default" {
			add("v1", "ServiceAccount", account, &corev1.ServiceAccount{})
		}
	}
	for _, d := range install.Deployments {
		add("apps/v1", "Deployment", d.Name, &appsv1.Deployment{Spec: d.Spec})
	}
	return objects, namespace, err
}

// documents writes objects as one file of YAML.
func documents(objects []*unstructured.Unstructured) ([]byte, error) {
	var out bytes.Buffer
	for _, o := range objects {
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "---\n%s", text)
	}
	return out.Bytes(), nil
}
