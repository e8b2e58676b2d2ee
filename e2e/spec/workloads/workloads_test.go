package workloads_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/workloads"
)

func TestEveryWorkloadIsRead(t *testing.T) {
	require.NotEmpty(t, workloads.Names())
	for _, name := range workloads.Names() {
		w, err := workloads.Named(name)
		require.NoError(t, err)
		assert.Equal(t, name, w.Name)
	}
}
