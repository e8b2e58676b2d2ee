package record_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func TestEnvironmentIsReadBack(t *testing.T) {
	dir := t.TempDir()
	e := &record.Environment{Run: "abc123", Kubernetes: "v1.37.0", Seed: 1<<63 + 1, Host: record.Host{CPUs: 2}, Stages: []record.Stage{{Name: "cluster", Seconds: 11.5}}}
	require.NoError(t, e.Write(dir))
	again, err := record.ReadEnvironment(dir)
	require.NoError(t, err)
	assert.Equal(t, e, again)

	_, err = record.ReadEnvironment(t.TempDir())
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, record.EnvironmentFile), []byte("{"), 0o644))
	_, err = record.ReadEnvironment(dir)
	var syntax *json.SyntaxError
	require.ErrorAs(t, err, &syntax)
}

// A small file that decompresses to a large one takes no more memory than an entry may.
func TestABombIsNoEnvironment(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, record.EnvironmentFile+".zst"))
	require.NoError(t, err)
	text, err := record.Compressor(file)
	require.NoError(t, err)
	_, err = text.Write([]byte(strings.Repeat(" ", 17<<20) + "{}"))
	require.NoError(t, errors.Join(err, text.Close(), file.Close()))
	_, err = record.ReadEnvironment(dir)
	require.ErrorContains(t, err, "environment.json.zst: longer than 16777216 bytes: not an environment")
}

// An image that was built here because no registry could be reached is not one of the
// operator's own, where upstream publishes the same program.
func TestAnImageIsCustomWhereNobodyPublishesIt(t *testing.T) {
	own := record.ImageFacts{Reference: "operatorbench.local/memcached-operator:v0.1.0"}
	assert.True(t, own.Custom())
	assert.False(t, record.ImageFacts{Reference: "operatorbench.local/kopf:1.45.2", Published: "ghcr.io/nolar/kopf"}.Custom())
	assert.False(t, record.ImageFacts{Reference: "docker.io/library/memcached:1.6.18"}.Custom())
}

// All nodes of an existing cluster are named, those that are alike together, with which of them are on one machine with
// the harness.
func TestNodesOfAnExistingCluster(t *testing.T) {
	node := func(name string, off bool, boot string) record.Node {
		return record.Node{Name: name, Off: off, CPUs: 2, Memory: 24 << 30, Kubelet: "v1.37.0", Runtime: "containerd://2.3.4", Kernel: "6.18.44", Boot: boot}
	}
	e := &record.Environment{Host: record.Host{Boot: "b1"}, Nodes: []record.Node{node("plane", true, "b1"), node("one", false, "b1"), node("two", false, "b2")}}
	const text = "3 nodes, 2 of them on the machine of the harness: plane (2 CPUs, 24 GiB, kubelet v1.37.0, containerd 2.3.4, Linux 6.18.44, takes no pods of operators); " +
		"one and two (2 CPUs, 24 GiB, kubelet v1.37.0, containerd 2.3.4, Linux 6.18.44)"
	assert.Equal(t, text, e.NodesText())
	assert.Contains(t, e.Lines(), text)
	e.Host.Boot, e.Nodes[0].Boot, e.Nodes[1].Boot = "", "", ""
	assert.Contains(t, e.NodesText(), "0 of them on the machine of the harness", "a boot that is not known is no machine")
	assert.Empty(t, (&record.Environment{}).NodesText())
}
