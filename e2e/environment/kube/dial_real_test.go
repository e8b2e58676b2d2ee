//go:build cluster

package kube_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A port of a pod is reached through the API server; of one that nobody listens at, the node says so.
func TestRealDial(t *testing.T) {
	client := realClient(t)
	pods, err := client.Typed.CoreV1().Pods("kube-system").List(bounded(t), metav1.ListOptions{LabelSelector: "k8s-app=kube-dns"})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	ask := func(port int) (string, error) {
		connection, err := client.Dial(bounded(t), "kube-system", pods.Items[0].Name, port)
		require.NoError(t, err)
		defer connection.Close()
		_, err = io.WriteString(connection, "GET /ready HTTP/1.0\r\n\r\n")
		require.NoError(t, err)
		text, err := io.ReadAll(connection)
		return string(text), err
	}
	answer, err := ask(8181)
	require.NoError(t, err)
	assert.Contains(t, answer, "200 OK")
	answer, err = ask(8182)
	assert.Empty(t, answer)
	require.ErrorContains(t, err, "open a connection to port 8182 of pod kube-system/"+pods.Items[0].Name)
	_, err = client.Dial(bounded(t), "kube-system", "nobody", 8181)
	require.ErrorContains(t, err, "pod kube-system/nobody")
}
