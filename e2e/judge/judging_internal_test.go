package judge

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

// Each oracle judges each sample once, however often somebody looks at what is known so far; at the end that is what
// the file says.
func TestNothingIsJudgedAnewAtALook(t *testing.T) {
	asked := 0
	all := oracles
	t.Cleanup(func() { oracles = all })
	oracles = slices.Clone(all)
	for i, o := range all {
		oracles[i].Judge = func(t *timeline.Timeline) Verdict { asked++; return o.Judge(t) }
	}
	for _, name := range []string{"argo", "native"} {
		t.Run(name, func(t *testing.T) {
			asked = 0
			file := filepath.Join("testdata", name+".jsonl.zst")
			whole, err := File(file)
			require.NoError(t, err)
			once := asked
			require.Greater(t, once, len(whole.Results), "an oracle for each sample, at least")

			asked = 0
			g := NewJudging()
			looks := 0
			for e, err := range record.ReadFile(file) {
				require.NoError(t, err)
				ended, err := g.Add(e)
				require.NoError(t, err)
				if ended == nil {
					continue
				}
				looks++
				assert.Len(t, g.SoFar().Results, looks)
			}
			require.NoError(t, g.End())
			assert.Equal(t, once, asked, "in %d looks", looks)
			want, err := json.Marshal(whole)
			require.NoError(t, err)
			got, err := json.Marshal(g.SoFar())
			require.NoError(t, err)
			assert.JSONEq(t, string(want), string(got))
		})
	}
}
