package docs_test

import (
	"bufio"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	file, err := os.Open(filepath.FromSlash(name))
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() }) // it was only read
	var in io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		in, err = gzip.NewReader(file)
		require.NoError(t, err)
	}
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
