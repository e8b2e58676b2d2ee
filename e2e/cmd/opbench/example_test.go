package main

import (
	"cmp"
	"flag"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../../"

var update = flag.Bool("update", false, "write the blocks of results of README.md and RESULTS.md anew")

// Whatever figure README and RESULTS.md show must come out of the recordings that README names, by
// the commands that they name.
func TestREADMEShowsWhatItNames(t *testing.T) {
	t.Chdir(root)
	named := regexp.MustCompile("opbench report --format=readme --out=README.md ([^`]+)`").FindSubmatch(read(t, "README.md"))
	require.Len(t, named, 2, "README.md does not say how its block of results is made")
	folders := strings.Fields(string(named[1]))
	folder := folders[len(folders)-1]
	for format, page := range map[string]struct {
		file    string
		reports int
	}{
		readme:  {"README.md", 3},  // two pictures, and all figures
		figures: {"RESULTS.md", 3}, // two reports, and what to know of the runs
	} {
		if *update {
			code, _, stderr := opbench(t, append([]string{"report", "--format=" + format, "--out=" + page.file}, folders...)...)
			require.Equal(t, exitOK, code, stderr)
		}
		code, block, stderr := opbench(t, append([]string{"report", "--format=" + format}, folders...)...)
		require.Equal(t, exitOK, code, stderr)
		_, rest, _ := strings.Cut(string(read(t, page.file)), "<!-- results:begin -->\n")
		shown, _, found := strings.Cut(rest, "<!-- results:end -->\n")
		require.True(t, found, "%s has no block of results", page.file)
		assert.Equal(t, block, shown, "go test ./e2e/cmd/opbench -update writes the block of %s anew", page.file)
		assert.Contains(t, block, "opbench report --format="+format+" --out="+page.file+" "+strings.Join(folders, " "))
		refers := regexp.MustCompile(`(?:src|srcset)="([^"]+)"|\]\(([^)]+)\)`).FindAllStringSubmatch(block, -1)
		reports, verdicts, styles := 0, 0, 0
		for _, one := range refers {
			name, within, _ := strings.Cut(one[1]+one[2], "#")
			name = cmp.Or(name, page.file)
			assert.FileExists(t, name)
			switch {
			case strings.HasPrefix(within, "failed-"):
				verdicts++
				assert.Contains(t, string(read(t, name)), `<a id="`+within+`"></a>`)
			case strings.HasPrefix(name, folder+"/"), name == "RESULTS.md":
				reports++
			case strings.HasPrefix(name, "operators/"):
				styles++
			}
		}
		assert.Equal(t, page.reports, reports, page.file)
		assert.Len(t, refers, reports+verdicts+styles)
		assert.Greater(t, styles, verdicts, "each style leads to what it is")
		assert.NotZero(t, verdicts, "each style that fails leads to what it failed")
	}
}

// A README without the place for results stays as it is.
func TestREADMEWithoutAPlaceForResults(t *testing.T) {
	name := file(t, "README.md", []byte("# mine\n"))
	code, _, stderr := opbench(t, "report", "--format=readme", "--out="+name, root+"docs/example")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "put the results into "+name+": it does not have each of the lines")
	assert.Equal(t, "# mine\n", string(read(t, name)))
}
