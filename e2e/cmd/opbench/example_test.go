package main

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../../"

var update = flag.Bool("update", false, "write README.md's block of results anew")

// Whatever figure README shows must come out of the recording that it names, by
// the command that it names.
func TestREADMEShowsTheExample(t *testing.T) {
	t.Chdir(root)
	if *update {
		code, _, stderr := opbench(t, "report", "--format=readme", "--out=README.md", "docs/example")
		require.Equal(t, exitOK, code, stderr)
	}
	code, block, stderr := opbench(t, "report", "--format=readme", "docs/example")
	require.Equal(t, exitOK, code, stderr)
	_, rest, _ := strings.Cut(string(read(t, "README.md")), "<!-- results:begin -->\n")
	shown, _, found := strings.Cut(rest, "<!-- results:end -->\n")
	require.True(t, found, "README.md has no block of results")
	assert.Equal(t, block, shown, "go test ./e2e/cmd/opbench -update writes README.md's block anew")
	assert.Contains(t, shown, "opbench report --format=readme --out=README.md docs/example", "the reader is told how to make it")
}

// A README without the place for results stays as it is.
func TestREADMEWithoutAPlaceForResults(t *testing.T) {
	name := file(t, "README.md", []byte("# mine\n"))
	code, _, stderr := opbench(t, "report", "--format=readme", "--out="+name, root+"docs/example")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "put the results into "+name+": it does not have each of the lines")
	assert.Equal(t, "# mine\n", string(read(t, name)))
}
