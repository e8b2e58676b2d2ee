package kube_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typed "k8s.io/client-go/kubernetes/fake"

	"operatorbench/e2e/environment/kube"
)

// A style may have a Role in kube-system: that does not make what is there its own.
func TestOwnNamespaces(t *testing.T) {
	namespace := func(name string, labels map[string]string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	client := &kube.Client{Typed: typed.NewSimpleClientset(
		namespace("argo", kube.Owner{Run: "mine", Style: "argo"}.Labels()), namespace("services-1", kube.Owner{Run: "mine"}.Labels()),
		namespace("other", kube.Owner{Run: "another"}.Labels()), namespace("kube-system", nil),
		namespace("forged", map[string]string{kube.LabelRun: "mine"}),
	)}
	own, err := client.OwnNamespaces(t.Context(), kube.Owner{Run: "mine"}, "argo", "services-1", "other", "kube-system", "forged", "gone")
	require.NoError(t, err)
	assert.Equal(t, []string{"argo", "services-1"}, own)
}
