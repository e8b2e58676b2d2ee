package styles_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec/styles"
)

// block is a file of the walkthrough: its name in a line of its own, and what is
// in it as code.
var block = regexp.MustCompile("(?ms)^`(my-operator/[^`]+)`:\n\n```[a-z]+\n(.*?)^```$")

// walkthrough does what operators/README.md says: it writes its files, and
// returns the folder in which they are.
func walkthrough(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	found := block.FindAllStringSubmatch(read(t, "../../../operators/README.md"), -1)
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
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	t.Chdir(walkthrough(t))
	found, err := styles.Find("operators", "./my-operator")
	require.NoError(t, err)
	require.NoError(t, styles.Check(catalogue, found...))
	style := found[0]
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
	found := shell.FindStringSubmatch(read(t, "../../../operators/README.md"))
	require.NotNil(t, found)
	makefile := read(t, "../../../Makefile")
	lines := strings.Split(strings.TrimSpace(found[1]), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, "go run ./e2e/cmd/opbench check ./my-operator", lines[0])
	for _, line := range lines[1:] {
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

// ownImages is the example of images that the catalogue does not have.
var ownImages = regexp.MustCompile("(?ms)^```yaml\n(images:\n.*?)^```$")

// oneImage is one of them; all but the first are comments.
var oneImage = regexp.MustCompile(`(?m)^  (?:# )?(- \{.*)$`)

// Each way to bring an image along that README.md lists can be read, and is one.
func TestWalkthroughImages(t *testing.T) {
	found := ownImages.FindStringSubmatch(read(t, "../../../operators/README.md"))
	require.NotNil(t, found)
	ways := oneImage.FindAllStringSubmatch(found[1], -1)
	require.Len(t, ways, 3)
	root := walkthrough(t)
	folder := filepath.Join(root, "my-operator")
	file := filepath.Join(folder, "style.yaml")
	style := read(t, file)
	for name, text := range map[string]string{"Dockerfile": "FROM scratch\n", "go.mod": "module example.com/my-operator\n", "cmd/main.go": "package main\n"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	named := regexp.MustCompile(`(?m)^images: .*$`)
	for _, way := range ways {
		line := way[1]
		own := "images:\n  - memcached\n  - python\n  " + line
		require.NoError(t, os.WriteFile(file, []byte(named.ReplaceAllString(style, own)), 0o600))
		operator, err := styles.Load(folder)
		require.NoError(t, err, line)
		require.NoError(t, styles.Check(catalogue, operator), line)
		assert.Len(t, styles.OwnImages(operator), 1, line)
	}
}
