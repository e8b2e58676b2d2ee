package timeline

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	whole "k8s.io/apimachinery/pkg/util/json"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/expr"
)

// Temporary: what CEL in the place of paths would cost.
func BenchmarkMoments(b *testing.B) {
	var header *record.Header
	var big *record.Watch
	for l, err := range record.ReadLines("../judge/testdata/argo.jsonl.zst") {
		require.NoError(b, err)
		var p record.Parser
		require.NoError(b, p.Parse(&l, nil))
		switch {
		case l.Header != nil:
			header = l.Header
		case l.Watch != nil && l.Watch.Resource == "workflows.v1alpha1.argoproj.io" && (big == nil || len(l.Watch.Object) > len(big.Object)):
			w := *l.Watch
			w.Object = append([]byte{}, w.Object...)
			big = &w
		}
	}
	w, err := workloadOf(header)
	require.NoError(b, err)
	all, err := compileAll(header, w)
	require.NoError(b, err)
	r := all["argo"].byResource[big.Resource]
	env, err := expr.Untyped("object")
	require.NoError(b, err)
	var compiled []*expr.Expression
	name := regexp.MustCompile(`displayName=="([^"]+)"`)
	for _, p := range r.inner {
		text := "object.status.phase in ['Succeeded', 'Failed', 'Error']"
		if m := name.FindStringSubmatch(p.Path); m != nil {
			text = fmt.Sprintf("object.status.nodes.exists(n, object.status.nodes[n].displayName == '%s' && object.status.nodes[n].phase in ['Succeeded', 'Failed', 'Error'])", m[1])
		}
		e, err := env.Compile(text)
		require.NoError(b, err)
		compiled = append(compiled, e)
	}
	b.Logf("%d phases, %d bytes", len(r.inner), len(big.Object))
	b.Run("paths", func(b *testing.B) {
		for b.Loop() {
			_, _ = r.of(big, func(int) bool { return true })
		}
	})
	b.Run("read whole", func(b *testing.B) {
		for b.Loop() {
			var object map[string]any
			_ = whole.Unmarshal(big.Object, &object)
		}
	})
	b.Run("cel", func(b *testing.B) {
		for b.Loop() {
			var object map[string]any
			_ = whole.Unmarshal(big.Object, &object)
			for _, e := range compiled {
				_, _ = e.Lacks(map[string]any{"object": object})
			}
		}
	})
}
