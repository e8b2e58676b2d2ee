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
