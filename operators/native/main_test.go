package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nowhere is a kubeconfig of a cluster that nobody serves.
const nowhere = `{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}],
contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {}}]}`

func kubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(nowhere), 0o600))
	return path
}

func TestBadInputIsRefused(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	tests := []struct {
		name string
		args []string
		says []string
	}{
		{"an argument", []string{"run"}, []string{`"run"`, "-help"}},
		{"an unknown flag", []string{"-wrokers=3"}, []string{"wrokers"}},
		{"no workers", []string{"-workers=0"}, []string{"-workers=0", "at least 1"}},
		{"no requests", []string{"-qps=0"}, []string{"-qps=0", "above zero"}},
		{"no wait", []string{"-retry-most=0s"}, []string{"-retry-most=0s", "above zero"}},
		{"resync backwards", []string{"-resync=-1s"}, []string{"-resync=-1s"}},
		{"no such kubeconfig", []string{"-kubeconfig=/nowhere/at/all"}, []string{"/nowhere/at/all", "-kubeconfig"}},
		{"the address is taken", []string{"-kubeconfig=" + kubeconfig(t), "-listen=" + taken.Addr().String()}, []string{taken.Addr().String(), "-listen"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := run(t.Context(), tt.args, t.Output())
			require.Error(t, err)
			for _, part := range tt.says {
				assert.ErrorContains(t, err, part)
			}
		})
	}
}

func TestItEndsWithItsContextEvenWhenTheClusterDoesNotAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, run(ctx, []string{"-kubeconfig=" + kubeconfig(t), "-listen=127.0.0.1:0"}, t.Output()))
}
