package docs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
)

// docs/running.md lists each file that a run writes into its results folder.
func TestRunningPageNamesTheFilesOfARun(t *testing.T) {
	page := string(read(t, "running.md"))
	names := []string{record.FileName, record.EnvironmentFile, html.File, html.Folder, "logs/", "gate.json", "gate.md"}
	for _, file := range report.Files() {
		names = append(names, file.Name)
	}
	for _, name := range names {
		assert.Contains(t, page, "`"+name)
	}
}
