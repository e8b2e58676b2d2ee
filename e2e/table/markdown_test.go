package table_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/table"
)

// GitHub reads entities before names and numbers: one that stands for @ would tell its
// owner all the same.
func TestEscapeLeavesNoEntities(t *testing.T) {
	assert.Equal(t, "&amp;commat;octocat &amp;num;1 &lt;b&gt; a\\|b", table.Escape("&commat;octocat &num;1 <b> a|b"))
}

// What GitHub would make a link of, and of an issue's a note in that issue, stays text.
func TestEscapeLeavesNoReferences(t *testing.T) {
	for text, want := range map[string]string{
		"see https://github.com/o/r/issues/1": "see https:<!-- -->//github.com/o/r/issues/1",
		"HTTP://example.com":                  "HTTP:<!-- -->//example.com",
		"www.example.com, awww.":              "www<!-- -->.example.com, awww.",
		"GH-12, gh-3":                         "GH-<!-- -->12, gh-<!-- -->3",
		"high-12, GH-x, 1-2, a: b":            "high-12, GH-x, 1-2, a: b",
		"~~gone~~":                            `\~\~gone\~\~`,
	} {
		assert.Equal(t, want, table.Escape(text))
	}
}
