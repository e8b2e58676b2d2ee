package usage

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

func FuzzParse(f *testing.F) {
	raw, err := os.ReadFile("testdata/summary.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"pods":[{"cpu":{"usageCoreNanoSeconds":18446744073709551615}},{"cpu":null,"memory":{}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := parse(raw)
		if err != nil {
			return
		}
		for _, p := range s.usage("n", []string{"", "kube-system"}).Pods {
			assert.Positive(t, p.CPU)
			assert.GreaterOrEqual(t, p.Memory, int64(0))
		}
	})
}
