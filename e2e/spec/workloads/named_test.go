package workloads_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Programs name no custom resource: it is in its folder. Operators are each of one, those of the self-test among them.
func TestNoProgramNamesACustomResource(t *testing.T) {
	const root = "../../.."
	names := regexp.MustCompile(`(?i:memcached|cache\.example\.com|rabbitmq)|spec\.size\b|\{"spec":\{"size"`)
	for _, folder := range []string{"e2e", "tools", "docs/schema", "fixtures/images", "fixtures/scenarios"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "selftest" || strings.HasSuffix(entry.Name(), "test") || entry.Name() == "testdata"):
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Empty(t, string(names.Find(text)), path)
			return nil
		}))
	}
}
