package table_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/table"
)

// A table that is too wide has its heads stacked first, then loses its last columns, and says so.
func TestLinesOfATableThatIsTooWide(t *testing.T) {
	one := table.Table{Left: 1, Header: []string{"style", "may read secrets", "never used", "built on"}}
	one.Row("native", "0", "12", strings.Repeat("n", 40))
	assert.Equal(t, []string{
		"style   may read secrets  never used                                  built on",
		"native                 0          12  " + strings.Repeat("n", 40),
	}, one.Lines(nil))

	one.Rows[0][0].Text = strings.Repeat("s", 35)
	assert.Equal(t, []string{
		strings.Repeat(" ", 35) + "     may",
		strings.Repeat(" ", 35) + "    read never",
		"style" + strings.Repeat(" ", 30) + " secrets  used                                 built on",
		strings.Repeat("s", 35) + "       0    12 " + strings.Repeat("n", 40),
	}, one.Lines(nil))

	one.Header, one.Rows[0] = append(one.Header, "packages"), append(one.Rows[0], table.Cell{Text: strings.Repeat("p", 20)})
	lines := one.Lines(nil)
	assert.Len(t, lines, 5)
	assert.Equal(t, "  too wide for 100 columns: packages (--format=markdown has all)", lines[4])
	for _, line := range lines {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), table.Width)
		assert.NotContains(t, line, "…")
	}
}
