package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root    = "../../../"
	example = "docs/example/recording.jsonl.gz"
)

// Whatever figure README shows must come out of the recording that it names.
func TestREADMEShowsTheExample(t *testing.T) {
	code, stdout, stderr := opbench(t, "judge", root+example)
	require.Equal(t, exitOK, code, stderr)
	var table []string
	for block := range strings.SplitSeq(stdout, "\n\n") {
		if strings.Contains(block, "written (delete: gone)") {
			for line := range strings.Lines(block) {
				table = append(table, strings.TrimRight(line, " \n"))
			}
		}
	}
	require.Greater(t, len(table), 2)

	readme, err := os.ReadFile(root + "README.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(readme), "<!-- results:begin -->")
	shown, _, found := strings.Cut(rest, "<!-- results:end -->")
	require.True(t, found, "README.md has no block of results")
	assert.Contains(t, shown, strings.Join(table, "\n"))
	assert.Contains(t, shown, "opbench judge "+example, "the reader is told how to make the table")
}
