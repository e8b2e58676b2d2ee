package run

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"
)

// The account has what the run does and what the operator's own roles may do, and no wildcard.
func TestPermissionsAreThoseOfTheRunAndOfTheOperator(t *testing.T) {
	role := func(scenario string) rbacv1.ClusterRole {
		t.Helper()
		options := Parse(t, "--operator=native", "--scenario="+scenario)
		var out bytes.Buffer
		require.NoError(t, Permissions(options, Clone(t), &out))
		documents := strings.Split(out.String(), "---\n")
		require.Len(t, documents, 5)
		var role rbacv1.ClusterRole
		require.NoError(t, yaml.UnmarshalStrict([]byte(documents[3]), &role))
		return role
	}
	may := func(role rbacv1.ClusterRole, verb, group, resource string) bool {
		return slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
			return slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, verb)
		})
	}
	single, refusing := role("create"), role("create,write-refused,deployments-forbidden")
	for _, rule := range single.Rules {
		assert.NotContains(t, slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs), "*")
	}
	assert.True(t, may(single, "create", "cache.example.com", "memcacheds"))
	assert.True(t, may(single, "update", "cache.example.com", "memcacheds/status"), "the operator's own: who gives a right must hold it")
	assert.False(t, may(single, "create", "admissionregistration.k8s.io", "validatingadmissionpolicies"))
	assert.True(t, may(refusing, "create", "admissionregistration.k8s.io", "validatingadmissionpolicies"))
	assert.True(t, may(role("handed-over"), "patch", "", "pods"), "which of two goes first")
	grows := role("growth")
	for _, kind := range []string{"secrets", "pods", "configmaps"} {
		assert.True(t, may(grows, "create", "", kind), kind)
	}
	assert.True(t, may(grows, "patch", "apps", "deployments"), "it is stopped")
	assert.False(t, may(single, "create", "authorization.k8s.io", "subjectaccessreviews"))
	assert.True(t, may(refusing, "create", "authorization.k8s.io", "subjectaccessreviews"))
}

// What the account lacks is named, as kubectl would name it.
func TestLackedRights(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview)
		review.Status.Allowed = review.Spec.ResourceAttributes.Verb != "delete"
		return true, review, nil
	})
	lacked, err := lackedRights(t.Context(), client, []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods", "pods/log"}, Verbs: []string{"get", "delete"}},
		{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"list", "delete"}, ResourceNames: []string{"one"}},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"delete deployments.apps one", "delete pods", "delete pods/log"}, lacked)

	s := newSession(Options{}, "", time.Time{}, io.Discard)
	require.NoError(t, s.permitted(t.Context()), "a cluster of the run's own is not asked")
}
