package docs_test

import (
	"bufio"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	require.NoError(t, err)
	return data
}

// lines yields the lines of a file, compressed or not.
func lines(t *testing.T, name string) iter.Seq[[]byte] {
	t.Helper()
	in, err := record.Open(filepath.FromSlash(name))
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.Close() }) // it was only read
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 16<<20)
	return func(yield func([]byte) bool) {
		for scanner.Scan() {
			if !yield(scanner.Bytes()) {
				return
			}
		}
		require.NoError(t, scanner.Err())
	}
}
