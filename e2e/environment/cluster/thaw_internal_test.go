package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is frozen within the containers that are to be removed is thawed, and nothing else is touched.
func TestThaw(t *testing.T) {
	root := t.TempDir()
	state := func(folder string) string { return filepath.Join(root, folder, "freezer.state") }
	for folder, is := range map[string]string{
		"docker/0123456789abcdef": "THAWED\n", "docker/0123456789abcdef/kubelet.slice/pod": "FROZEN\n", "docker/fedcba9876543210/pod": "FROZEN\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
		require.NoError(t, os.WriteFile(state(folder), []byte(is), 0o600))
	}
	assert.True(t, thaw(root, []string{"0123456789ab"}))
	for folder, want := range map[string]string{"docker/0123456789abcdef": "THAWED", "docker/0123456789abcdef/kubelet.slice/pod": "THAWED", "docker/fedcba9876543210/pod": "FROZEN"} {
		is, err := os.ReadFile(state(folder))
		require.NoError(t, err)
		assert.Contains(t, string(is), want, folder)
	}
	assert.False(t, thaw(root, []string{"0123456789ab"}), "nothing is frozen any more")
	assert.False(t, thaw(filepath.Join(root, "none"), []string{"0123456789ab"}))
}
