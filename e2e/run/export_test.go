package run

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Parse returns the options that flags set.
func Parse(t *testing.T, args ...string) (options Options) {
	t.Helper()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	options.Register(flags)
	require.NoError(t, flags.Parse(args))
	return options
}

// Clone is the repository without what runs have left in it, by which they would be planned.
// What a run leaves there is in nobody's way.
func Clone(t *testing.T) string {
	t.Helper()
	from, err := filepath.Abs(root)
	require.NoError(t, err)
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	to := t.TempDir()
	for _, entry := range entries {
		if name := entry.Name(); name != "results" && name != ".git" {
			require.NoError(t, os.Symlink(filepath.Join(from, name), filepath.Join(to, name)))
		}
	}
	return to
}
