package html_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The charts of the hand-made recording; what tables say is tested value by value.
func TestGolden(t *testing.T) {
	p := parse(t, about(t, handMade(t), "argo"))
	for _, id := range []string{outcomes} {
		t.Run(id, func(t *testing.T) {
			n := p.byID(id)
			require.NotNil(t, n)
			for n.Data != "table" {
				n = n.Parent
			}
			var got bytes.Buffer
			require.NoError(t, parser.Render(&got, n))
			got.WriteByte('\n')
			path := filepath.Join("testdata", id+".html")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), got.String(), "go test ./e2e/report/html -update writes %s anew", path)
		})
	}
}
