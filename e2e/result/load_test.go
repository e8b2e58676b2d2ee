package result_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// Nothing is expected of how far a style is behind under a load.
func TestLoadsAreLeftOut(t *testing.T) {
	h := header("one", "argo")
	h.Scenarios = append(h.Scenarios, record.Scenario{Name: "many", Group: "load"})
	late := judged("argo", "many", 1, verdict("converged", spec.Fail, "too late"))
	late.Group = "load"
	m := result.MatrixOf(&judge.Judgement{Header: h, Results: []judge.Result{passed("argo", "create"), late}})
	assert.Nil(t, m.Cell("argo", "many"))
	assert.NotNil(t, m.Cell("argo", "create"))
	for _, row := range m.Rows() {
		assert.NotEqual(t, "many", row.Name)
	}
	assert.Empty(t, result.Compare(m, "argo", verdicts.Expected{}))
}

// Verdicts are expected of the matrix alone: a load in a list of cells is not
// called unexpected because verdicts.yaml does not name it.
func TestNothingIsExpectedOfLoads(t *testing.T) {
	h := header("one", "argo")
	h.Scenarios = append(h.Scenarios, record.Scenario{Name: "many", Group: "load"})
	many := passed("argo", "many")
	many.Group = "load"
	j := &judge.Judgement{Header: h, Results: []judge.Result{passed("argo", "create"), many}}
	set := result.Of(result.Recording{Judgement: j, Expected: map[string]verdicts.Expected{"argo": parse(t, good)}})
	for _, cell := range set.Cells {
		assert.Equal(t, cell.Scenario == "create", set.Expectation(cell).Known, cell.Scenario)
	}
	assert.Len(t, set.Cells, 2)
}

// Packing anew what is packed keeps the numbers of its shards.
func TestShardsAreInTheOrderOfTheirNumbers(t *testing.T) {
	folder := t.TempDir()
	var want []string
	for _, name := range []string{"shard-1", "shard-2", "shard-10"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, name), 0o755))
		want = append(want, filepath.Join(folder, name))
	}
	assert.Equal(t, want, result.Shards(folder))
}
