package styles_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
)

func eachStyle(t *testing.T, check func(t *testing.T, style *styles.Style)) {
	t.Helper()
	all, err := styles.Find("../../../operators", styles.All)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, style := range all {
		t.Run(style.Name, func(t *testing.T) { check(t, style) })
	}
}

func readsSecrets(g spec.Grant) bool {
	return install.Rights{Grants: []spec.Grant{g}}.May(schema.GroupResource{Resource: "secrets"}, spec.ReadVerbs()...)
}

// No service account may read secrets unless the style's secrets.yaml says why.
func TestSecretsAreReadForAReason(t *testing.T) {
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	eachStyle(t, func(t *testing.T, style *styles.Style) {
		facts, err := style.Facts(catalogue)
		require.NoError(t, err)
		assert.Empty(t, facts.RBAC.Unknown, "what these roles allow is not known")

		held, err := style.Rights()
		require.NoError(t, err)
		readers, err := style.SecretReaders()
		require.NoError(t, err)
		used := map[spec.SecretReader]bool{}
		for _, g := range held.Grants {
			if !readsSecrets(g) {
				continue
			}
			i := slices.IndexFunc(readers, func(r spec.SecretReader) bool {
				return r.ServiceAccount == g.ServiceAccount && r.Namespace == g.Namespace
			})
			if !assert.GreaterOrEqual(t, i, 0, "%s may read secrets (%s, namespace %q): take it away, or say in %s/secrets.yaml why it needs it",
				g.ServiceAccount, g.Role, g.Namespace, style.Name) {
				continue
			}
			used[readers[i]] = true
		}
		bases, err := style.Bases()
		require.NoError(t, err)
		for _, reader := range readers {
			installed := slices.ContainsFunc(held.Grants, func(g spec.Grant) bool { return g.ServiceAccount == reader.ServiceAccount })
			if len(bases) > 0 && !installed {
				continue // a base's: it takes something else from it
			}
			assert.True(t, used[reader], "%v is in a secrets.yaml of %s, but may not read secrets: remove the entry", reader, style.Name)
		}
	})
}

// commands returns the command line of every container in a value.
func commands(value any) [][]string {
	var all [][]string
	for container := range kube.Maps(value) {
		var line []string
		for _, key := range []string{"command", "args"} {
			words, _ := container[key].([]any)
			for _, word := range words {
				text, _ := word.(string)
				line = append(line, text)
			}
		}
		if len(line) > 0 {
			all = append(all, line)
		}
	}
	return all
}

// open reports whether a command line lets argo-server serve anybody with its own
// rights. Without the flag it asks for the client's own token.
func open(line []string) bool {
	words := strings.Split(strings.Join(line, "="), "=")
	for i, word := range words {
		if word == "--auth-mode" && i+1 < len(words) && words[i+1] == "server" {
			return true
		}
	}
	return false
}

func TestNoArgoServerIsOpen(t *testing.T) {
	eachStyle(t, func(t *testing.T, style *styles.Style) {
		objs, err := style.Objects()
		require.NoError(t, err)
		for _, obj := range objs {
			for _, line := range commands(obj.Object) {
				assert.False(t, open(line), "%s: %v lets anybody in: use --auth-mode=client", kube.Describe(obj), line)
			}
		}
	})
}

// Both would let a mistake pass unseen if they found nothing.
func TestWhatIsOpenIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		"args: [server, --auth-mode=server]":                        true,
		"args: [server, --auth-mode, server]":                       true,
		"{command: [argo, server], args: [--auth-mode=server]}":     true,
		"args: [server, --auth-mode=client, --auth-mode=server]":    true,
		"args: [server, --auth-mode=client]":                        false,
		"args: [server]":                                            false,
		"args: [workflow-controller, --executor-image=auth/server]": false,
	} {
		var container any
		require.NoError(t, yaml.Unmarshal([]byte("spec: {template: {spec: {containers: [{name: a}, {"+strings.Trim(text, "{}")+"}]}}}"), &container))
		lines := commands(container)
		require.Len(t, lines, 1, text)
		assert.Equal(t, want, open(lines[0]), text)
	}
	for text, want := range map[string]bool{
		"{Groups: [''], Resources: [secrets], Verbs: [list]}":          true,
		"{Groups: ['*'], Resources: ['*'], Verbs: ['*']}":              true,
		"{Groups: [''], Resources: [pods, secrets], Verbs: [watch]}":   true,
		"{Groups: [''], Resources: [secrets], Verbs: [create]}":        false,
		"{Groups: [apps], Resources: [secrets], Verbs: [get]}":         false,
		"{Groups: [''], Resources: [secrets/status], Verbs: [get]}":    false,
		"{Verbs: [get], URLs: [/secrets], Groups: [], Resources: []}":  false,
		"{Groups: [''], Resources: [configmaps], Verbs: [get, watch]}": false,
	} {
		var g spec.Grant
		require.NoError(t, yaml.Unmarshal([]byte(text), &g))
		assert.Equal(t, want, readsSecrets(g), text)
	}
}

// A role of the cluster's own may allow anything, but for cluster-admin, which every
// cluster has.
func TestUnknownRoles(t *testing.T) {
	for role, unknown := range map[string][]string{"view": {"ClusterRole view"}, "cluster-admin": nil} {
		dir := write(t, map[string]string{"manifests/a.yaml": bound("ClusterRoleBinding", "ClusterRole", role) + "metadata: {name: b}\n"})
		style := styles.Style{Style: spec.Style{Name: "s", Stages: []spec.Stage{{Name: "one", Manifests: []string{"manifests"}}}}, Folder: dir}
		held, err := style.Rights()
		require.NoError(t, err)
		assert.Equal(t, unknown, held.Unknown)
		assert.Equal(t, role == "cluster-admin", held.May(schema.GroupResource{Resource: "configmaps"}, spec.WriteVerbs()...))
	}
}

func TestGrants(t *testing.T) {
	both := reader + bound("ClusterRoleBinding", "ClusterRole", "reader") + "metadata: {name: b}\n" +
		bound("RoleBinding", "ClusterRole", "reader") + "metadata: {name: b, namespace: m}\n"
	dir := write(t, map[string]string{"manifests/a.yaml": both})
	style := styles.Style{Style: spec.Style{Name: "s", Stages: []spec.Stage{{Name: "one", Manifests: []string{"manifests"}}}}, Folder: dir}
	held, err := style.Rights()
	require.NoError(t, err)
	rule := spec.Grant{
		ServiceAccount: "ns/a", Role: "ClusterRole reader",
		Groups: []string{"", "apps"}, Resources: []string{"pods", "secrets"}, Verbs: []string{"list", "watch"},
	}
	within := rule
	within.Namespace = "m"
	urls := spec.Grant{ServiceAccount: "ns/a", Role: "ClusterRole reader", Verbs: []string{"get"}, URLs: []string{"/metrics"}}
	none := spec.Grant{ServiceAccount: "ns/a", Role: "ClusterRole reader", Namespace: "m", Verbs: []string{"get"}}
	assert.Equal(t, []spec.Grant{rule, urls, within, none}, held.Grants, "URLs are in no namespace")

	style.Stages[0].Manifests = []string{"none"}
	_, err = style.Rights()
	require.ErrorContains(t, err, "operator s")
}
