package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/gate"
)

// More passes where a block takes long to install, more rounds where it does not; few
// where there is no time for enough rounds, and what is left over goes into passes.
func TestPasses(t *testing.T) {
	const second = time.Second
	for name, test := range map[string]struct {
		all, fixed, pass time.Duration
		rounds, want     int
	}{
		"native":                {400 * second, 4 * second, 9 * second, 0, 1},
		"slow to install":       {400 * second, 12 * second, 9 * second, 0, 2},
		"slow, in no time":      {200 * second, 12 * second, 9 * second, 0, 1},
		"a large budget":        {40 * time.Minute, 4 * second, 9 * second, 0, 6},
		"a larger one":          {5 * time.Hour, 4 * second, 9 * second, 0, gate.DefaultPasses},
		"argo":                  {400 * second, 30 * second, 258 * second, 0, 1},
		"so many rounds":        {400 * second, 5 * second, 9 * second, 6, 6},
		"a pass takes no time":  {400 * second, 5 * second, 0, 12, 1},
		"all time is installed": {400 * second, time.Hour, 9 * second, 12, 1},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, gate.Passes(test.all, test.fixed, test.pass, test.rounds))
		})
	}
}
