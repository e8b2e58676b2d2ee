package kube

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install/yaml"
)

const (
	aConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: one\n"
	bConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  namespace: two\n"
	aNamespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: one\n"
	aRole      = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: reader\n"
)

// Parse reads objects as installing does.
func Parse(name string, content []byte) ([]*unstructured.Unstructured, error) {
	return yaml.Parse(name, content)
}

// aBinding is a right that a style has where it does not run.
const aBinding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: auth-reader, namespace: kube-system}\n"

func TestPlan(t *testing.T) {
	objs, err := Parse("test.yaml", []byte(aRole+"---\n"+aBinding+"---\n"+aNamespace+"---\n"+aConfigMap+"---\n"+bConfigMap))
	require.NoError(t, err)
	assert.Equal(t, Footprint{Namespaces: []string{"one", "two"}, ClusterScoped: []string{"ClusterRole reader"}}, Plan(objs))
}
