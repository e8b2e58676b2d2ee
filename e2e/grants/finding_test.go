package grants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// held says of a style with one grant how many rights it holds, and which it should not.
func held(t *testing.T, g spec.Grant, reasons []spec.SecretReader, calls ...record.Entry) (string, []string) {
	t.Helper()
	g.ServiceAccount, g.Role = "op/operator", "ClusterRole operator"
	m := grants.NewMeter()
	m.Add(record.Entry{Kind: record.KindHeader, Header: &record.Header{Schema: record.Schema, Styles: []record.Style{{Style: spec.Style{
		Name: "native",
	}, Installed: spec.Installed{Namespaces: []string{"op"}, Grants: []spec.Grant{g}, Secrets: reasons}}}}})
	m.Add(record.Entry{Kind: record.KindBlock, Block: &record.Block{Style: "native", Round: 1, Stage: record.Installing}})
	for _, e := range calls {
		m.Add(e)
	}
	uses := m.Uses()
	require.Len(t, uses, 1)
	return uses[0].Held(), uses[0].Findings
}

func TestRightsThatAStyleShouldNotHold(t *testing.T) {
	called := audited(operator, "create", "deployments.v1.apps", "services", "memcached", 201)
	read := audited(operator, "list", "secrets.v1", "services", "", 200)
	least := spec.Grant{Groups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "list", "create"}}
	admin := spec.Grant{Groups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}
	verbs := spec.Grant{Groups: []string{"apps"}, Resources: []string{"deployments", "replicasets"}, Verbs: []string{"*", "get"}}
	secrets := spec.Grant{Groups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "list"}}
	reason := []spec.SecretReader{{ServiceAccount: "op/operator", Reason: "the bus's"}}
	for name, test := range map[string]struct {
		grant   spec.Grant
		reasons []spec.SecretReader
		calls   []record.Entry
		count   string
		found   []string
	}{
		"least privilege":      {least, nil, []record.Entry{called}, "3", nil},
		"everything":           {admin, nil, []record.Entry{called}, "all", []string{"op/operator may * *.* (ClusterRole operator, cluster-wide): it was used for create deployments.apps alone"}},
		"all verbs":            {verbs, nil, []record.Entry{called}, "2 with * + 2", []string{"op/operator may * deployments.apps (ClusterRole operator, cluster-wide): it was used for create deployments.apps alone", "op/operator may * replicasets.apps (ClusterRole operator, cluster-wide): it was never used"}},
		"all verbs, no call":   {verbs, nil, []record.Entry{read}, "2 with * + 2", []string{"op/operator may * deployments.apps, replicasets.apps (ClusterRole operator, cluster-wide): it was never used"}},
		"secrets, never read":  {secrets, nil, []record.Entry{called}, "2", []string{"op/operator may get, list secrets (ClusterRole operator, cluster-wide), and never did"}},
		"secrets, with a gap":  {secrets, nil, []record.Entry{called, {Kind: record.KindGap, Gap: &record.Gap{Resource: "audit"}}}, "2", nil},
		"secrets, read":        {secrets, nil, []record.Entry{read}, "2", nil},
		"secrets for a reason": {secrets, reason, []record.Entry{called}, "2", nil},
		"no audit log":         {admin, nil, nil, "all", nil},
	} {
		t.Run(name, func(t *testing.T) {
			count, found := held(t, test.grant, test.reasons, test.calls...)
			assert.Equal(t, test.count, count)
			assert.Equal(t, test.found, found)
		})
	}
}
