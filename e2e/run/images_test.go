package run_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/run"
)

func TestImagesOfStyles(t *testing.T) {
	root := "../.."
	names, own, err := run.ImagesOf(root, root, "native,argo-direct")
	require.NoError(t, err)
	assert.Equal(t, []string{"node", "memcached", "native", "argo-events", "nats", "pause"}, names)
	assert.Empty(t, own)
	folder, _, err := run.ImagesOf(root, root, "./operators/native")
	require.NoError(t, err)
	assert.Equal(t, []string{"node", "memcached", "native"}, folder, "a folder is named from the repository's root")
	_, _, err = run.ImagesOf(root, root, "nativ")
	require.ErrorContains(t, err, "--operator=nativ: ")
}
