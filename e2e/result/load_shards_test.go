package result_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/result"
)

// Packing anew what is packed keeps the numbers of its shards.
func TestShardsAreInTheOrderOfTheirNumbers(t *testing.T) {
	folder := t.TempDir()
	var want []string
	for _, name := range []string{"shard-1", "shard-2", "shard-10"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, name), 0o755))
		want = append(want, filepath.Join(folder, name))
	}
	assert.Equal(t, want, result.Shards(folder))
}
