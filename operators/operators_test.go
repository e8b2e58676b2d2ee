package operators_test

import (
	"io/fs"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/operators"
)

// What a build leaves in a style's folder, such as cargo's target, is not part of the program.
func TestFilesAreThoseOfTheRepository(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", ".")
	listed, err := command.Output()
	require.NoError(t, err)
	var have, want []string
	require.NoError(t, fs.WalkDir(operators.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			have = append(have, name)
		}
		return err
	}))
	for name := range strings.Lines(string(listed)) {
		name = strings.TrimSpace(name)
		if strings.Contains(name, "/") && (!strings.ContainsAny(name[:1], "cho") || strings.HasPrefix(name, "cl")) && path.Base(name) != ".gitignore" {
			want = append(want, name)
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	require.NotEmpty(t, want)
	assert.Equal(t, want, have)
}
