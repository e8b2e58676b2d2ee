package propose

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
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

// unbundle takes, in the place of a ClusterServiceVersion, the objects that the Operator Lifecycle Manager would make
// of it: a namespace, accounts with their rights, and Deployments. Webhooks, for which it makes certificates, are left
// out.
func (p *proposal) unbundle() error {
	i := slices.IndexFunc(p.Objects, IsBundle)
	if i < 0 {
		return nil
	}
	csv := p.Objects[i]
	var of struct {
		Spec struct {
			WebhookDefinitions []any
			Install            struct {
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
		return fmt.Errorf("read ClusterServiceVersion %s: %w", csv.GetName(), err)
	}
	name, _, _ := strings.Cut(csv.GetName(), ".")
	p.namespace = cmp.Or(csv.GetAnnotations()["operatorframework.io/suggested-namespace"], name+"-system")
	install := of.Spec.Install.Spec
	err = p.make("v1", "Namespace", p.namespace, &corev1.Namespace{})
	var accounts []string
	for _, d := range install.Deployments {
		accounts = append(accounts, cmp.Or(d.Spec.Template.Spec.ServiceAccountName, "default"))
		err = errors.Join(err, p.make("apps/v1", "Deployment", d.Name, &appsv1.Deployment{Spec: d.Spec}))
	}
	for kind, list := range map[string][]granted{"ClusterRole": install.ClusterPermissions, "Role": install.Permissions} {
		for i, g := range list {
			accounts = append(accounts, g.ServiceAccountName)
			err = errors.Join(err, p.grant(kind, fmt.Sprintf("%s-%s-%d", name, g.ServiceAccountName, i), g))
		}
	}
	slices.Sort(accounts)
	for _, account := range slices.Compact(accounts) {
		if account != "default" { // every namespace has that
			err = errors.Join(err, p.make("v1", "ServiceAccount", account, &corev1.ServiceAccount{}))
		}
	}
	slices.SortStableFunc(p.made[1:], func(a, b *unstructured.Unstructured) int {
		return cmp.Or(strings.Compare(a.GetKind(), b.GetKind()), strings.Compare(a.GetName(), b.GetName()))
	})
	p.Objects = slices.Concat(p.made, slices.DeleteFunc(slices.Clone(p.Objects), IsBundle))
	if len(of.Spec.WebhookDefinitions) > 0 {
		p.todo("manifests: the webhooks of the ClusterServiceVersion, for which the Operator Lifecycle Manager makes certificates, are left out")
	}
	return err
}

// grant makes a role, of the whole cluster or of the namespace, and its binding.
func (p *proposal) grant(kind, name string, g granted) error {
	version := rbacv1.SchemeGroupVersion.String()
	return errors.Join(p.make(version, kind, name, &rbacv1.ClusterRole{Rules: g.Rules}), // a Role has the same fields
		p.make(version, kind+"Binding", name, &rbacv1.ClusterRoleBinding{
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: g.ServiceAccountName, Namespace: p.namespace}},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name},
		}))
}

// make adds an object in the place of the ClusterServiceVersion.
func (p *proposal) make(version, kind, name string, typed runtime.Object) error {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return fmt.Errorf("make %s %s of the ClusterServiceVersion: %w", kind, name, err)
	}
	delete(fields, "status")
	one := &unstructured.Unstructured{Object: fields}
	one.SetAPIVersion(version)
	one.SetKind(kind)
	one.SetName(name)
	if !slices.Contains([]string{"Namespace", "ClusterRole", "ClusterRoleBinding"}, kind) {
		one.SetNamespace(p.namespace)
	}
	p.made = append(p.made, one)
	return nil
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
