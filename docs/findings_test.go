package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// again are the published folders whose recordings measure the styles of comparison again.
const again = "replication-"

// The table of what was measured on several machines has what their recordings give.
func TestFindingsFigures(t *testing.T) {
	folders, err := published()
	require.NoError(t, err)
	folders = slices.DeleteFunc(folders, func(folder string) bool { return !strings.HasPrefix(folder, again) })
	require.NotEmpty(t, folders)
	all := table.Table{Left: 1, Header: append([]string{"style", "comparison"}, folders...)}
	comparison := reportOf(t, "comparison")
	for _, label := range comparison.ByLatency(comparison.Headline()) {
		row := []string{label, headlineOf(comparison, label)}
		for _, folder := range folders {
			row = append(row, headlineOf(reportOf(t, folder), label))
		}
		if slices.ContainsFunc(row[2:], func(cell string) bool { return cell != plain.Unknown }) {
			all.Row(row...)
		}
	}
	between(t, "findings.md", "again", all.Markdown())
}

// headlineOf is a style's median of a create, where it is from, and how many times
// native's it is.
func headlineOf(r *report.Report, label string) string {
	c := r.Cell(label, r.Headline())
	if c == nil || r.Apart(label) {
		return plain.Unknown
	}
	written, _ := c.Outcome()
	text := written.P50.String() + "\n" + result.Spread(written, stat.Observation.String)
	if ratio := r.RatioText(label, r.Headline()); ratio != "" {
		text += "\n× " + result.Reference + " " + ratio
	}
	return text
}
