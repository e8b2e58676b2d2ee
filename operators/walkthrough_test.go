package operators_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/fixtures/images"
	"operatorbench/operators"
)

// block is a file of the walkthrough: its name in a line of its own, and what is
// in it as code.
var block = regexp.MustCompile("(?ms)^`(my-operator/[^`]+)`:\n\n```[a-z]+\n(.*?)^```$")

// walkthrough does what operators/README.md says: it writes its files, and
// returns the folder in which they are.
func walkthrough(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	found := block.FindAllStringSubmatch(read(t, "README.md"), -1)
	require.Len(t, found, 4, "the files that README.md speaks of")
	for _, file := range found {
		name := filepath.Join(root, file[1])
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(file[2]), 0o600))
	}
	return root
}

// The walkthrough's operator is loaded from wherever it is, and nothing is wrong
// with it.
func TestWalkthrough(t *testing.T) {
	catalogue, err := images.Load("..")
	require.NoError(t, err)
	t.Chdir(walkthrough(t))
	found, err := operators.Find("operators", "./my-operator")
	require.NoError(t, err)
	require.NoError(t, operators.Check(catalogue, found...))
	style := found[0].Style()
	facts, err := style.Facts(catalogue)
	require.NoError(t, err)
	assert.Equal(t, 6, facts.Objects)
	assert.Equal(t, []string{"my-operator/my-operator"}, facts.RBAC.Accounts)
	assert.Equal(t, 4, facts.RBAC.ClusterWide)
	assert.Zero(t, facts.RBAC.Namespaced)
}

// shell is the commands that the walkthrough ends with.
var shell = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// The walkthrough ends with commands that there are, for the folder that it made.
func TestWalkthroughRuns(t *testing.T) {
	found := shell.FindStringSubmatch(read(t, "README.md"))
	require.NotNil(t, found)
	makefile := read(t, "../Makefile")
	lines := strings.Split(strings.TrimSpace(found[1]), "\n")
	require.Len(t, lines, 2)
	for _, line := range lines {
		words := strings.Fields(line)
		require.Equal(t, "make", words[0])
		assert.Contains(t, makefile, "\n"+words[1]+": ", line)
		for _, word := range words[2:] {
			name, value, is := strings.Cut(word, "=")
			require.True(t, is, word)
			assert.Regexp(t, `(?m)^`+name+` +\?=`, makefile, line)
			if name == "OPERATOR" {
				assert.Contains(t, strings.Split(value, ","), "./my-operator")
			}
		}
	}
}
