package styles

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/spec"
)

// Permissions are what the bindings of a style give to service accounts, in numbers.
type Permissions struct {
	// Accounts that any binding names, as namespace/name, sorted.
	Accounts []string `json:"accounts"`
	// Rules of the roles that are bound, each role's once for each scope.
	Rules int `json:"rules"`
	// ClusterWide and Namespaced count distinct (API group, resource, verb), or
	// (URL, verb); Namespaced ones for each namespace. A * counts as one.
	ClusterWide int `json:"clusterWide"`
	Namespaced  int `json:"namespaced"`
	// Wildcards are those among them with a *, as "verb resource.group".
	Wildcards []string `json:"wildcards,omitempty"`
	// Secrets says where secrets can be read: "cluster-wide" or a namespace.
	Secrets []string `json:"secrets,omitempty"`
	// Unknown are roles that are bound but not among the style's manifests; what they allow is not counted.
	Unknown []string `json:"unknown,omitempty"`
}

// permissions counts rights, whoever of the accounts holds them.
func permissions(held install.Rights) Permissions {
	p := Permissions{Accounts: held.Accounts, Unknown: held.Unknown}
	seen, wildcards, secrets := map[spec.Right]bool{}, map[string]bool{}, map[string]bool{}
	type bound struct{ account, role, namespace string }
	rules := map[bound]int{} // of a role in a scope all accounts have as many
	for _, g := range held.Grants {
		rules[bound{"", g.Role, g.Namespace}] = 0
		rules[bound{g.ServiceAccount, g.Role, g.Namespace}]++
		for _, r := range g.Rights() {
			r.ServiceAccount, r.Role, r.Name = "", "", ""
			if seen[r] {
				continue
			}
			seen[r] = true
			scope := r.Namespace
			if r.ClusterWide() {
				scope = "cluster-wide"
				p.ClusterWide++
			} else {
				p.Namespaced++
			}
			if r.Wild() || r.URL == "*" {
				wildcards[r.Verb+" "+r.Object()] = true
			}
			if r.ReadsSecrets() {
				secrets[scope] = true
			}
		}
	}
	for of, n := range rules {
		if role := (bound{"", of.role, of.namespace}); of != role && rules[role] == 0 {
			rules[role] = n
			p.Rules += n
		}
	}
	p.Wildcards, p.Secrets = slices.Sorted(maps.Keys(wildcards)), slices.Sorted(maps.Keys(secrets))
	return p
}

// Rights are what the style's service accounts are allowed by its manifests.
func (s Style) Rights() (install.Rights, error) {
	objs, err := s.Objects()
	if err != nil {
		return install.Rights{}, err
	}
	held, err := install.RightsOf(objs)
	if err != nil {
		return held, fmt.Errorf("rights of operator %s: %w", s.Name, err)
	}
	return held, nil
}

// SecretsFile says in a style's folder which service accounts may read secrets, and why.
const SecretsFile = "secrets.yaml"

// SecretReaders lists the service accounts that may read secrets for a reason, as
// the style's own folder says, and those of the styles that it is made from.
func (s Style) SecretReaders() ([]spec.SecretReader, error) {
	bases, err := s.Bases()
	if err != nil {
		return nil, err
	}
	var all []spec.SecretReader
	for _, one := range append(bases, s) {
		own, err := one.ownSecretReaders()
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	return all, nil
}

func (s Style) ownSecretReaders() ([]spec.SecretReader, error) {
	name := filepath.Join(s.Folder, SecretsFile)
	text, err := s.tree().Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []spec.SecretReader
	if err == nil {
		err = yaml.UnmarshalStrict(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read who may read secrets, and why: %s: %w", name, err)
	}
	for i, r := range list {
		if r.ServiceAccount == "" || r.Reason == "" {
			return nil, fmt.Errorf("%s: entry %d: expected serviceAccount and reason", name, i+1)
		}
	}
	return list, nil
}
