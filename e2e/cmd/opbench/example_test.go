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
	lines := strings.Split(strings.TrimRight(stdout, "\n"), "\n")
	var table []string
	for i := len(lines) - 1; i >= 0 && lines[i] != ""; i-- {
		table = append([]string{strings.TrimRight(lines[i], " ")}, table...)
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
