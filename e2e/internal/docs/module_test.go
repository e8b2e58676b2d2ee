package docs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/zip"
)

// tracked is a file of the repository, by its path from the root.
type tracked string

func (f tracked) Path() string                 { return string(f) }
func (f tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join("..", string(f))) }
func (f tracked) Open() (io.ReadCloser, error) { return os.Open(filepath.Join("..", string(f))) }

// What `go install …/opbench@VERSION` fetches is a zip file of the module, which go
// refuses if two names differ in case alone, or if it is too large, or if it replaces another module.
func TestModuleCanBeFetched(t *testing.T) {
	checked := checkModule(t)
	assert.Greater(t, len(checked.Valid), 500)
	require.NoError(t, checked.Err())
	assert.NotRegexp(t, `(?m)^(replace|exclude)\b`, string(read(t, "../go.mod")))
}

// checkModule checks the files that git tracks; where there is no clone, all that are there.
func checkModule(t *testing.T) zip.CheckedFiles {
	t.Helper()
	if _, err := os.Stat("../.git"); errors.Is(err, fs.ErrNotExist) {
		checked, err := zip.CheckDir("..")
		require.NoError(t, err)
		return checked
	}
	var files []zip.File
	for _, name := range trackedFiles(t) {
		files = append(files, tracked(name))
	}
	checked, err := zip.CheckFiles(files)
	require.NoError(t, err)
	return checked
}

// trackedFiles lists the files that git tracks and that are there, by their paths from the root.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files", "-z").Output()
	require.NoError(t, err, "git says which files belong to the clone")
	var files []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join("..", name)); err == nil { // else it is deleted and not committed
			files = append(files, name)
		}
	}
	return files
}
