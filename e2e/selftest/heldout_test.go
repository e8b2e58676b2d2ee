package selftest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/styles"
)

// Each patch fits the correct operator, and changes what it installs.
func TestHeldOut(t *testing.T) {
	made := t.TempDir()
	said, err := exec.CommandContext(t.Context(), "testdata/heldout/make.sh", made).CombinedOutput()
	require.NoError(t, err, string(said))
	patches, err := filepath.Glob("testdata/heldout/*.patch")
	require.NoError(t, err)
	folders, err := os.ReadDir(made)
	require.NoError(t, err)
	require.Len(t, folders, len(patches)+1)
	installs := map[string]string{}
	for _, folder := range folders {
		style, err := styles.Load(filepath.Join(made, folder.Name()))
		require.NoError(t, err)
		assert.Equal(t, folder.Name(), style.Name)
		objects, err := style.Objects()
		require.NoError(t, err)
		text := ""
		for _, o := range objects {
			one, err := o.MarshalJSON()
			require.NoError(t, err)
			text += string(one)
		}
		assert.Empty(t, installs[text], "%s installs the same", folder.Name())
		installs[text] = folder.Name()
	}
}
