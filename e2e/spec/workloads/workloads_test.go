package workloads_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/workloads"
	published "operatorbench/fixtures/workloads"
)

func TestEveryWorkloadIsRead(t *testing.T) {
	require.NotEmpty(t, workloads.Names())
	for _, name := range workloads.Names() {
		w, err := workloads.Named(name)
		require.NoError(t, err)
		assert.Equal(t, name, w.Name)
	}
}

// The definition says whether there is a scale subresource; where the operator brings it, the file says so.
func TestTheScaleSubresource(t *testing.T) {
	w, err := workloads.Named("memcached")
	require.NoError(t, err)
	assert.True(t, w.ScaleSubresource)

	folder := fstest.MapFS{}
	for _, name := range []string{"workload.yaml", "cr.yaml", "crd.yaml", "deployment.yaml"} {
		text, err := fs.ReadFile(published.Files, "memcached/"+name)
		require.NoError(t, err)
		folder[name] = &fstest.MapFile{Data: text}
	}
	file, crd := string(folder["workload.yaml"].Data), string(folder["crd.yaml"].Data)
	read := func(file, crd string) (*workloads.Workload, error) {
		folder["workload.yaml"].Data, folder["crd.yaml"].Data = []byte(file), []byte(crd)
		return workloads.Read("memcached", folder)
	}
	_, err = read(file+"scaleSubresource: true\n", crd)
	require.ErrorContains(t, err, "scaleSubresource: leave it out, crd.yaml says whether there is one")
	w, err = read(file, strings.Replace(crd, "        scale:", "        other:", 1))
	require.NoError(t, err)
	assert.False(t, w.ScaleSubresource)
	w, err = read(strings.Replace(file, "definition: crd.yaml\n", "scaleSubresource: true\n", 1), crd)
	require.NoError(t, err)
	assert.True(t, w.ScaleSubresource)
}
