package record_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
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

// An image that was built here because no registry could be reached is not one of the
// operator's own, where upstream publishes the same program.
func TestAnImageIsCustomWhereNobodyPublishesIt(t *testing.T) {
	own := record.ImageFacts{Reference: "operatorbench.local/memcached-operator:v0.1.0"}
	assert.True(t, own.Custom())
	assert.False(t, record.ImageFacts{Reference: "operatorbench.local/kopf:1.45.2", Published: "ghcr.io/nolar/kopf"}.Custom())
	assert.False(t, record.ImageFacts{Reference: "docker.io/library/memcached:1.6.18"}.Custom())
}
