package grants_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	operator = "system:serviceaccount:op:operator"
	sidecar  = "system:serviceaccount:op:sidecar"
)

// audited is a request as the audit log tells of it, Subresource being part of what.
func audited(user, verb, what, namespace, name string, code int) record.Entry {
	what, sub, _ := strings.Cut(what, "/")
	return record.Entry{Kind: record.KindAudit, Audit: &record.Audit{
		User: user, Verb: verb, Resource: what, Subresource: sub, Namespace: namespace, Name: name, Code: code,
		Received: time.Unix(1, 0), Answered: time.Unix(1, 1),
	}}
}

func style(held ...spec.Grant) record.Style {
	return record.Style{Style: spec.Style{Name: "native"}, Installed: spec.Installed{Namespaces: []string{"op"}, Grants: held}}
}

func uses(styles []record.Style, entries ...record.Entry) []grants.Use {
	m := grants.NewMeter()
	m.Add(record.Entry{Kind: record.KindHeader, Header: &record.Header{Styles: styles}})
	m.Add(record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Style: "native", Scenario: "create"}})
	m.Add(record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Style: "native", Scenario: "void", Reason: "not applicable"}})
	m.Add(record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Style: "native", Scenario: "given", Prepare: true}})
	for _, e := range entries {
		m.Add(e)
	}
	return m.Uses()
}

// story is a recording in which every kind of finding occurs.
func story() []grants.Use {
	held := style(
		spec.Grant{
			ServiceAccount: "op/operator", Role: "ClusterRole operator",
			Groups: []string{"apps"}, Resources: []string{"deployments", "deployments/status"}, Verbs: []string{"get", "list", "patch"},
		},
		spec.Grant{
			ServiceAccount: "op/operator", Role: "ClusterRole operator",
			Groups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "list"},
		},
		spec.Grant{
			ServiceAccount: "op/operator", Role: "ClusterRole operator",
			Groups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"},
		},
		spec.Grant{
			ServiceAccount: "op/operator", Role: "Role op/leases", Namespace: "op",
			Groups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Names: []string{"leader"}, Verbs: []string{"create", "update"},
		},
		spec.Grant{ServiceAccount: "op/sidecar", Role: "ClusterRole all", Groups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}},
		spec.Grant{ServiceAccount: "op/sidecar", Role: "ClusterRole metrics", Verbs: []string{"get"}, URLs: []string{"/metrics"}},
	)
	return uses([]record.Style{held, {Style: spec.Style{Name: "silent"}, Installed: spec.Installed{Grants: []spec.Grant{{ServiceAccount: "z/z", Role: "ClusterRole z", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}}}},
		record.Entry{Kind: record.KindBlock, Block: &record.Block{Style: "native", Round: 1, Stage: record.Installing}},
		record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Style: "native", Scenario: "delete"}},
		record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Style: "native", Scenario: "create"}},
		audited(operator, "list", "deployments.v1.apps", "", "", 200),
		audited(operator, "patch", "deployments.v1.apps", "services-1", "a", 201),
		audited(operator, "patch", "deployments.v1.apps", "services-2", "a", 403), // by an admission policy
		audited(operator, "get", "configmaps.v1", "op", "settings", 200),
		audited(operator, "delete", "pods.v1", "services-1", "a", 403),
		audited(operator, "delete", "pods.v1", "services-2", "a", 403),
		audited(operator, "update", "leases.v1.coordination.k8s.io", "op", "leader", 200),
		audited(operator, "create", "selfsubjectaccessreviews.v1.authorization.k8s.io", "", "", 201),
		audited(sidecar, "get", "secrets.v1", "op", "key", 200),
		audited(sidecar, "create", "pods.v1/eviction", "services-1", "p", 201),
		audited("system:serviceaccount:other:who", "get", "secrets.v1", "op", "key", 200), // nobody's
		audited("kubernetes-admin", "get", "secrets.v1", "op", "key", 200),
		record.Entry{Kind: record.KindBlock, Block: &record.Block{Style: "native", Round: 1, Stage: record.Removed}},
		record.Entry{Kind: record.KindGap, Gap: &record.Gap{Resource: "audit"}},
		record.Entry{Kind: record.KindGap, Gap: &record.Gap{Resource: "pods.v1"}},
	)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestText(t *testing.T) {
	var text strings.Builder
	require.NoError(t, grants.Text(&text, story()))
	golden(t, "story.txt", text.String())
}

func TestJSON(t *testing.T) {
	text, err := json.MarshalIndent(story(), "", "  ")
	require.NoError(t, err)
	golden(t, "story.json", string(text)+"\n")
}

// used is how often the only right of a style was used by the calls.
func used(t *testing.T, held spec.Grant, calls ...record.Entry) int {
	t.Helper()
	held.ServiceAccount = "op/operator"
	found := uses([]record.Style{style(held)}, calls...)
	require.Len(t, found, 1)
	require.Len(t, found[0].Rights, 1)
	assert.Equal(t, found[0].Rights[0].Used == 0, len(found[0].Unused()) == 1)
	return found[0].Rights[0].Used
}

// As the API server's authorizer decides it.
func TestWhatARuleAllows(t *testing.T) {
	list := func(items ...string) []string { return items }
	for name, tt := range map[string]struct {
		held spec.Grant
		call record.Entry
		want int
	}{
		"plain":                     {spec.Grant{Groups: list("apps"), Resources: list("deployments"), Verbs: list("get")}, audited(operator, "get", "deployments.v1.apps", "ns", "a", 200), 1},
		"refused, but asked for":    {spec.Grant{Groups: list("apps"), Resources: list("deployments"), Verbs: list("get")}, audited(operator, "get", "deployments.v1.apps", "ns", "a", 403), 1},
		"any version":               {spec.Grant{Groups: list("apps"), Resources: list("deployments"), Verbs: list("get")}, audited(operator, "get", "deployments.v1beta1.apps", "ns", "a", 200), 1},
		"an apply that creates":     {spec.Grant{Groups: list("apps"), Resources: list("deployments"), Verbs: list("create")}, audited(operator, "patch", "deployments.v1.apps", "ns", "a", 201), 1},
		"an apply that does not":    {spec.Grant{Groups: list("apps"), Resources: list("deployments"), Verbs: list("create")}, audited(operator, "patch", "deployments.v1.apps", "ns", "a", 200), 0},
		"another verb":              {spec.Grant{Groups: list("apps"), Resources: list("deployments"), Verbs: list("get")}, audited(operator, "list", "deployments.v1.apps", "ns", "", 200), 0},
		"another group":             {spec.Grant{Groups: list(""), Resources: list("deployments"), Verbs: list("get")}, audited(operator, "get", "deployments.v1.apps", "ns", "a", 200), 0},
		"another account":           {spec.Grant{Groups: list("apps"), Resources: list("deployments"), Verbs: list("get")}, audited(sidecar, "get", "deployments.v1.apps", "ns", "a", 200), 0},
		"subresource, not said":     {spec.Grant{Groups: list(""), Resources: list("pods"), Verbs: list("get")}, audited(operator, "get", "pods.v1/log", "ns", "a", 200), 0},
		"subresource":               {spec.Grant{Groups: list(""), Resources: list("pods/log"), Verbs: list("get")}, audited(operator, "get", "pods.v1/log", "ns", "a", 200), 1},
		"subresource of all":        {spec.Grant{Groups: list("*"), Resources: list("*/log"), Verbs: list("get")}, audited(operator, "get", "pods.v1/log", "ns", "a", 200), 1},
		"subresource of all, plain": {spec.Grant{Groups: list("*"), Resources: list("*/log"), Verbs: list("get")}, audited(operator, "get", "pods.v1", "ns", "a", 200), 0},
		"all with subresources":     {spec.Grant{Groups: list("*"), Resources: list("*"), Verbs: list("*")}, audited(operator, "get", "pods.v1/log", "ns", "a", 200), 1},
		"its namespace":             {spec.Grant{Namespace: "m", Groups: list(""), Resources: list("pods"), Verbs: list("get")}, audited(operator, "get", "pods.v1", "m", "a", 200), 1},
		"another namespace":         {spec.Grant{Namespace: "m", Groups: list(""), Resources: list("pods"), Verbs: list("get")}, audited(operator, "get", "pods.v1", "n", "a", 200), 0},
		"all namespaces at once":    {spec.Grant{Namespace: "m", Groups: list(""), Resources: list("pods"), Verbs: list("list")}, audited(operator, "list", "pods.v1", "", "", 200), 0},
		"its name":                  {spec.Grant{Names: list("a"), Groups: list(""), Resources: list("pods"), Verbs: list("get")}, audited(operator, "get", "pods.v1", "m", "a", 200), 1},
		"another name":              {spec.Grant{Names: list("a"), Groups: list(""), Resources: list("pods"), Verbs: list("get")}, audited(operator, "get", "pods.v1", "m", "b", 200), 0},
		"a name that is not asked":  {spec.Grant{Names: list("a"), Groups: list(""), Resources: list("pods"), Verbs: list("create")}, audited(operator, "create", "pods.v1", "m", "a", 201), 0},
		"no resource":               {spec.Grant{Groups: list("*"), Resources: list("*"), Verbs: list("*")}, audited(operator, "get", "", "", "", 200), 0},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, used(t, tt.held, tt.call))
		})
	}
}

func TestAGroupOfAccounts(t *testing.T) {
	for group, want := range map[string]int{"op/*": 2, "*/*": 3, "other/*": 1} {
		s := style(spec.Grant{ServiceAccount: group, Role: "ClusterRole r", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}})
		found := uses([]record.Style{s}, audited(operator, "get", "pods.v1", "n", "a", 200), audited(sidecar, "get", "pods.v1", "n", "a", 200),
			audited("system:serviceaccount:other:x", "get", "pods.v1", "n", "a", 200))
		assert.Equal(t, want, found[0].Rights[0].Used, group)
	}
}

// Variants of a style have the same accounts: a call is that of the one which is
// installed, also when the log tells of it only after its removal.
func TestVariantsTakeTurns(t *testing.T) {
	held := spec.Grant{ServiceAccount: "op/operator", Role: "ClusterRole r", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}
	base, head := style(held), style(held)
	base.Variant, head.Variant = "base", "head"
	stage := func(variant, stage string) record.Entry {
		return record.Entry{Kind: record.KindBlock, Block: &record.Block{Style: "native", Variant: variant, Round: 1, Stage: stage}}
	}
	call := audited(operator, "get", "pods.v1", "n", "a", 200)
	found := uses([]record.Style{base, head}, stage("base", record.Installing), call, stage("base", record.Removed), call, stage("head", record.Installing), call)
	require.Len(t, found, 2)
	assert.Equal(t, 2, found[0].Rights[0].Used)
	assert.Equal(t, 1, found[1].Rights[0].Used)
}

func TestNothingIsKnownOfUseWithoutAnAuditLog(t *testing.T) {
	found := uses([]record.Style{style(spec.Grant{ServiceAccount: "op/operator", Role: "ClusterRole r", Groups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}})})
	require.Len(t, found, 1)
	assert.False(t, found[0].Audited)
	assert.Empty(t, found[0].Unused())
	var text strings.Builder
	require.NoError(t, grants.Text(&text, found))
	assert.Contains(t, text.String(), "nothing is known of their use")
	assert.NotContains(t, text.String(), "never")
}

// What is kept does not grow with the number of samples, though each has a
// namespace of its own.
func TestNamespacesOfSamplesAreOne(t *testing.T) {
	s := style(spec.Grant{ServiceAccount: "op/operator", Role: "ClusterRole r", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}})
	var calls []record.Entry
	for _, namespace := range []string{"services-1", "services-2", "services-3"} {
		calls = append(calls, audited(operator, "delete", "pods.v1", namespace, namespace, 403))
	}
	found := uses([]record.Style{s}, calls...)
	assert.Equal(t, []grants.Call{{ServiceAccount: "op/operator", Verb: "delete", Resource: "pods", Namespace: "(elsewhere)", Count: 3}}, found[0].Denied)
}

// Nothing that a file may hold makes it fail.
func FuzzAdd(f *testing.F) {
	f.Add("op/a", "*", "pods/log", "get", "system:serviceaccount:op:a", "pods.v1", "log")
	f.Add("*/*", "", "*/", "*", "system:serviceaccount:", "..", "/")
	f.Fuzz(func(t *testing.T, account, group, resource, verb, user, called, sub string) {
		s := record.Style{Style: spec.Style{Name: "s"}, Installed: spec.Installed{Grants: []spec.Grant{{ServiceAccount: account, Groups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}}}}}
		found := uses([]record.Style{s, {}}, record.Entry{Begin: &record.Sample{Style: "s", Scenario: "c"}}, record.Entry{Audit: &record.Audit{User: user, Resource: called, Subresource: sub, Verb: verb, Code: 403}})
		require.NotEmpty(t, found)
		assert.LessOrEqual(t, found[0].Rights[0].Used, 1)
		require.NoError(t, grants.Text(&strings.Builder{}, found))
	})
}
