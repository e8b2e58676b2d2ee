package install

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install/yaml"
	"operatorbench/e2e/environment/kube"
)

// What the next version alone has is removed with the style; what both have, once.
func TestWhatAnUpgradeAdds(t *testing.T) {
	parse := func(text string) []*unstructured.Unstructured {
		objs, err := yaml.Parse("x.yaml", []byte(text))
		require.NoError(t, err)
		return objs
	}
	i := Installation{
		Stages: [][]*unstructured.Unstructured{
			parse("apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n"),
			parse("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ns}\n"),
		},
		Next: parse("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ns}\ndata: {x: y}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: ns}\n"),
	}
	added := i.added()
	require.Len(t, added, 1)
	assert.Equal(t, "ConfigMap ns/b", kube.Describe(added[0]))
	assert.Len(t, i.Next, 2, "what is rendered stays")
	assert.Empty(t, Installation{Stages: i.Stages}.added())
}
