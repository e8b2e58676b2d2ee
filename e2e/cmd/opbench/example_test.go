package main

import (
	"flag"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../../"

var update = flag.Bool("update", false, "write README.md's block of results anew")

// Whatever figure README shows must come out of the recordings that it names, by
// the command that it names.
func TestREADMEShowsWhatItNames(t *testing.T) {
	t.Chdir(root)
	named := regexp.MustCompile("opbench report --format=readme --out=README.md ([^`]+)`").FindSubmatch(read(t, "README.md"))
	require.Len(t, named, 2, "README.md does not say how its block of results is made")
	folders := strings.Fields(string(named[1]))
	folder := folders[len(folders)-1]
	if *update {
		code, _, stderr := opbench(t, append([]string{"report", "--format=readme", "--out=README.md"}, folders...)...)
		require.Equal(t, exitOK, code, stderr)
	}
	code, block, stderr := opbench(t, append([]string{"report", "--format=readme"}, folders...)...)
	require.Equal(t, exitOK, code, stderr)
	_, rest, _ := strings.Cut(string(read(t, "README.md")), "<!-- results:begin -->\n")
	shown, _, found := strings.Cut(rest, "<!-- results:end -->\n")
	require.True(t, found, "README.md has no block of results")
	assert.Equal(t, block, shown, "go test ./e2e/cmd/opbench -update writes README.md's block anew")
	refers := regexp.MustCompile(`(?:src|srcset)="([^"]+)"|\]\(([^)]+)\)`).FindAllStringSubmatch(block, -1)
	reports, verdicts, styles := 0, 0, 0
	for _, one := range refers {
		name, _, _ := strings.Cut(one[1]+one[2], "#")
		assert.FileExists(t, name)
		switch {
		case strings.HasPrefix(name, folder+"/"):
			reports++
		case strings.HasSuffix(name, "/verdicts.yaml"):
			verdicts++
		case strings.HasPrefix(name, "operators/"):
			styles++
		}
	}
	assert.Equal(t, 5, reports, "two pictures, and reports three times")
	assert.Len(t, refers, reports+verdicts+styles)
	assert.Greater(t, styles, verdicts, "each style leads to what it is")
	assert.NotZero(t, verdicts, "each style that fails leads to why")
}

// A README without the place for results stays as it is.
func TestREADMEWithoutAPlaceForResults(t *testing.T) {
	name := file(t, "README.md", []byte("# mine\n"))
	code, _, stderr := opbench(t, "report", "--format=readme", "--out="+name, root+"docs/example")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "put the results into "+name+": it does not have each of the lines")
	assert.Equal(t, "# mine\n", string(read(t, name)))
}
